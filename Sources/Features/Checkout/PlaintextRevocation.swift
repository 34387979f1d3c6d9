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
        let caller = request.caller(part.broker.hasher)
        return {
            do throws(Failure) {
                try await Failure.mapErrors { try await self.part.broker.revoke(tokens, by: caller) }
                return .forbidden
            } catch {
                self.part.note(error, request)
                return error.code.status
            }
        }
    }
}

extension Broker {
    /// Revokes the webview sessions of tokens that travelled in clear.
    fileprivate func revoke(_ tokens: PlaintextTokens, by caller: Caller) async throws(StoreError) {
        for ticket in tokens.launch { try await notePlaintext(ticket, by: caller) }
        for token in tokens.tab { try await notePlaintext(token, by: caller) }
        for ticket in tokens.back { try await notePlaintext(ticket, by: caller) }
    }
}
