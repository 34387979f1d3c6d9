import Cryptography
package import HTTPCore
package import Primitives

/// One signed question that changes nothing: for a session that cannot exist.
///
/// A service that knows the key says that there is no such session; every other answer says what is wrong with the account.
package enum AccountProbe {
    /// What became of the question.
    package enum Outcome: Sendable, Equatable {
        /// Account and key exist at the service.
        case known
        /// The service refuses: status and reason.
        case refused(status: Int, reason: ReasonCode?)
        /// There was no answer; the text is for operators.
        case failed(String)
    }

    /// What was learnt.
    package struct Result: Sendable, Equatable {
        /// What became of the question.
        package let outcome: Outcome
        /// How far this machine's clock is ahead of the service's, in seconds; `nil` where the service names no time.
        package let aheadSeconds: Int64?
    }

    /// Asks.
    ///
    /// - Returns: What was learnt; never longer than the exchange takes, ten seconds at most.
    package static func ask(
        _ credentials: Credentials,
        at endpoint: AmazonPayEndpoint,
        by exchange: any HTTPExchange,
        now: WallTime
    ) async -> Result {
        let request: OutboundRequest
        do throws(CryptographyError) {
            request = try await question(credentials, endpoint, now)
        } catch {
            return Result(outcome: .failed("no signature: \(error.debugDescription)"), aheadSeconds: nil)
        }
        do throws(HTTPExchangeError) {
            let answer = APIAnswer(try await exchange.send(request))
            let ahead = answer.date.map { now.seconds - $0.seconds }
            // Nobody but the API itself says so: a web server that knows no such page has no reason code.
            let isKnown = answer.status == 404 && answer.reason == .resourceNotFound
            let outcome = isKnown ? Outcome.known : .refused(status: answer.status, reason: answer.reason)
            return Result(outcome: outcome, aheadSeconds: ahead)
        } catch {
            return Result(outcome: .failed(error.debugDescription), aheadSeconds: nil)
        }
    }

    private static func question(
        _ credentials: Credentials,
        _ endpoint: AmazonPayEndpoint,
        _ now: WallTime
    ) async throws(CryptographyError) -> OutboundRequest {
        var fields = credentials.signedFields(at: now)
        let path = credentials.path("checkoutSessions/00000000-0000-4000-8000-000000000000")
        let request = SignedRequest(method: "GET", path: path, fields: fields)
        // One signature in a command: there is no loop to hold up.
        let authorization = try await RequestSigner(credentials).authorization(for: request) { work in work() }
        fields.append(("authorization", authorization))
        return OutboundRequest(method: "GET", url: endpoint.origin + path, fields: fields)
    }
}
