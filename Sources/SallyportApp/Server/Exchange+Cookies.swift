import HTTPCore
import Pages
import SessionBroker

// Reading the cookies of a request. A name that comes twice, or a value with another token's tag, is refused: both are
// what a sibling domain leaves behind that tries to plant a session (session-security T16, T37).

extension Exchange {
    /// P, or `nil` where the jar has none.
    func appProof() throws(Failure) -> AppProof? {
        try cookie(deployment.cookieTable.app, AppProof.parse)
    }

    /// B, or `nil` where the jar has none.
    func tabToken() throws(Failure) -> TabToken? {
        try cookie(deployment.cookieTable.tab, TabToken.parse)
    }

    /// A as the tab remembers it, or `nil` where the jar has none.
    func rememberedLaunch() throws(Failure) -> LaunchTicket? {
        try cookie(deployment.cookieTable.launch, LaunchTicket.parse)
    }

    /// C as the receipt remembers it, or `nil` where the jar has none.
    func receiptTicket() throws(Failure) -> ReturnTicket? {
        try cookie(deployment.cookieTable.receipt, ReturnTicket.parse)
    }

    private func cookie<Token>(_ name: String, _ parse: (String) -> Token?) throws(Failure) -> Token? {
        let text: String?
        do {
            text = try HTTPCookies(request).value(name)
        } catch {
            throw Failure(.invalidRequest, "cookie \(name): \(error)")
        }
        guard let text else { return nil }
        guard let token = parse(text) else { throw Failure(.invalidRequest, "cookie \(name) has another form") }
        return token
    }
}
