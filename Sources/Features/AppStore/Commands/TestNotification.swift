import AppStoreTransactions
import EventIO
import Primitives

/// Has Apple send a test notification, and finds out what came of it.
struct TestNotification {
    let server: AppStoreServer
    let verifiers: AppStoreVerifiers
    let environment: AppStoreEnvironment
    let reactor: Reactor
    /// Between two questions.
    var pause = Duration.seconds(5)
    /// How long Apple is asked at most.
    var patience = Duration.seconds(120)

    /// What came of it, in words.
    struct Outcome: Hashable {
        /// Whether our server took the notification.
        let isTaken: Bool
        let sentence: String

        static func failed(_ sentence: String) -> Outcome { Outcome(isTaken: false, sentence: sentence) }
    }

    /// Asks, and waits for the outcome.
    ///
    /// - Parameter progress: Hears what is waited for.
    func run(progress: (String) -> Void) async -> Outcome {
        do throws(ServerAPIProblem) {
            let token = try await server.call(.testNotification, in: environment, SignedAnswer.testNotificationToken)
            progress("Apple sends it; its token is \(token)")
            return try await outcome(of: token, progress)
        } catch {
            return .failed(TestNotification.sentence(error, environment))
        }
    }

    private func outcome(
        of token: String,
        _ progress: (String) -> Void
    ) async throws(ServerAPIProblem) -> Outcome {
        let start = reactor.wallNow
        while reactor.wallNow < start + patience {
            await reactor.sleep(for: pause)
            guard let sent = try await status(of: token), let last = sent.attempts.last else {
                progress("Apple has not sent it yet")
                continue
            }
            return judge(sent, last)
        }
        return .failed("Apple has not said in \(patience.components.seconds) s what came of it. Ask again later.")
    }

    /// `nil` while it is not sent.
    private func status(of token: String) async throws(ServerAPIProblem) -> SentNotification? {
        do throws(ServerAPIProblem) {
            guard let request = try? ServerAPIRequest.testNotificationStatus(token) else { throw .unavailable }
            return try await server.call(request, in: environment) { (body) throws(ServerAPIAnswerError) in
                try SentNotification(body)
            }
        } catch {
            if case .refused(let failure) = error, failure.code == 4_040_008 { return nil }
            throw error
        }
    }

    private func judge(_ sent: SentNotification, _ last: NotificationAttempt) -> Outcome {
        let time = last.time.map { " at " + CalendarDate($0).extendedText } ?? ""
        guard sent.attempts.contains(where: \.isSuccess) else {
            return .failed("Apple has sent it\(time), and it did not arrive: \(last.sentence).")
        }
        do throws(SignedTextRefusal) {
            _ = try verifiers.notification(Array(sent.signedPayload.utf8), at: reactor.wallNow)
            return Outcome(isTaken: true, sentence: "Apple has sent it\(time), and a server has taken it.")
        } catch {
            return .failed("Apple has sent it\(time) and a server has taken it, but this program refuses it: \(error).")
        }
    }

    private static func sentence(_ problem: ServerAPIProblem, _ environment: AppStoreEnvironment) -> String {
        guard case .refused(let failure) = problem, failure.code == 4_040_007 else { return problem.sentence + "." }
        return
            "App Store Connect has no address for notifications of \(environment.rawValue): App Information, App Store Server Notifications."
    }
}

extension NotificationAttempt {
    /// What went wrong, for people.
    fileprivate var sentence: String {
        let word = result.description
        let known = [
            "TIMED_OUT": "no answer in time", "TLS_ISSUE": "TLS failed; look at the certificate and its chain",
            "CIRCULAR_REDIRECT": "redirects in a circle; the address has to answer itself",
            "NO_RESPONSE": "a connection, and no answer", "SOCKET_ISSUE": "no connection",
            "UNSUPPORTED_CHARSET": "an answer in an unknown character set",
            "INVALID_RESPONSE": "an answer that is no HTTP",
            "PREMATURE_CLOSE": "the connection was closed before the answer",
            "UNSUCCESSFUL_HTTP_RESPONSE_CODE": "a status other than 200 to 206; the log of the server says why",
        ]
        return known.first { $0.key.octets == result }.map { "\($0.value) (\(word))" } ?? word
    }
}
