import CheckoutCodes
import HTTPCore
import SessionBroker
import Web

// Reading the cookies of a request. A name that comes twice, or a value with another token's tag, is refused: both are
// what a sibling domain leaves behind that tries to plant a session (T16 and T37 of docs/contract.md).

extension Exchange {
    /// P, or `nil` where the jar has none.
    func appProof() throws(Failure) -> AppProof? {
        try cookie(deployment.cookieTable.app) { AppProof.parse($0) }
    }

    /// B, or `nil` where the jar has none.
    func tabToken() throws(Failure) -> TabToken? {
        try cookie(deployment.cookieTable.tab) { TabToken.parse($0) }
    }

    /// A as the tab remembers it, or `nil` where the jar has none.
    func rememberedLaunch() throws(Failure) -> LaunchTicket? {
        try cookie(deployment.cookieTable.launch) { LaunchTicket.parse($0) }
    }

    /// C as the receipt remembers it, or `nil` where the jar has none.
    func receiptTicket() throws(Failure) -> ReturnTicket? {
        try cookie(deployment.cookieTable.receipt) { ReturnTicket.parse($0) }
    }

    private func cookie<Token>(_ name: String, _ parse: (Span<UInt8>) -> Token?) throws(Failure) -> Token? {
        var token: Token?
        do {
            guard try HTTPCookies(request).read(name, { token = parse($0) }) else { return nil }
        } catch {
            throw Failure(.invalidRequest, "cookie \(name): \(error)")
        }
        guard let token else { throw Failure(.invalidRequest, "cookie \(name) has another form") }
        return token
    }
}
