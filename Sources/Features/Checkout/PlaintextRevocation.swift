import HTTPCore
import Primitives
import ServerCore
import SessionBroker
import Web

/// Ends the sessions whose tokens came without TLS, where anybody between may have read them.
final class PlaintextRevocation: PlaintextGuard {
    private let part: CheckoutPart

    init(_ part: CheckoutPart) { self.part = part }

    func revocation(of request: HTTPRequest) -> (() async -> HTTPStatus)? {
        let tokens = PlaintextTokens(request)
        guard !tokens.isEmpty else { return nil }
        let caller = Exchange(request: request, services: part).caller
        return {
            do throws(Failure) {
                try await self.part.revoke(tokens, by: caller)
                return .forbidden
            } catch {
                self.part.note(error, request)
                return error.code.status
            }
        }
    }
}

extension CheckoutPart {
    /// Revokes the webview sessions of tokens that travelled in clear.
    ///
    /// - Throws: `unavailable`, `rate_limited` or `internal_error`.
    fileprivate func revoke(_ tokens: PlaintextTokens, by caller: Caller) async throws(Failure) {
        try await mapErrors { (broker) async throws(StoreError) in
            for ticket in tokens.launch { try await broker.notePlaintext(ticket, by: caller) }
            for token in tokens.tab { try await broker.notePlaintext(token, by: caller) }
            for ticket in tokens.back { try await broker.notePlaintext(ticket, by: caller) }
        }
    }
}
