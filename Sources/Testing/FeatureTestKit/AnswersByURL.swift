package import HTTPCore
package import TestKit

/// Other servers that answer by URL, and keep what they were asked; what is not there cannot be reached.
///
/// Lives on one loop.
package final class AnswersByURL: HTTPExchange {
    /// By URL; `HOST at URL` where the request has a Host field of its own.
    package var answers: [String: InboundResponse] = [:]
    /// Everything that was asked, in order.
    package private(set) var asked: [OutboundRequest] = []
    /// What is said of servers that cannot be reached.
    package var silence = "Couldn't connect to server"
    /// How long each answer takes, by the clock.
    package var pause = Duration.zero
    private let clock: ManualClock

    /// Nobody there.
    package init(_ clock: ManualClock) {
        self.clock = clock
    }

    package func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        asked.append(request)
        defer { clock.advance(by: pause) }
        let host = request.fields.first { $0.0 == "Host" }.map { $0.1 + " at " } ?? ""
        guard let answer = answers[host + request.url] else { throw HTTPExchangeError(.connectFailed, detail: silence) }
        return answer
    }
}
