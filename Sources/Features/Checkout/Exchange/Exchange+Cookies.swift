import HTTPCore
import SessionBroker
import Web

// The four cookies; a name that comes twice, or a value with another token's tag, is refused: T16 and T37 of docs/contract.md.

extension Exchange {
    /// P, or `nil` where the jar has none.
    func appProof() throws(Failure) -> AppProof? {
        try request.cookie(deployment.cookieTable.app) { AppProof.parse($0) }
    }

    /// B, or `nil` where the jar has none.
    func tabToken() throws(Failure) -> TabToken? {
        try request.cookie(deployment.cookieTable.tab) { TabToken.parse($0) }
    }

    /// A as the tab remembers it, or `nil` where the jar has none.
    func rememberedLaunch() throws(Failure) -> LaunchTicket? {
        try request.cookie(deployment.cookieTable.launch) { LaunchTicket.parse($0) }
    }

    /// C as the receipt remembers it, or `nil` where the jar has none.
    func receiptTicket() throws(Failure) -> ReturnTicket? {
        try request.cookie(deployment.cookieTable.receipt) { ReturnTicket.parse($0) }
    }
}
