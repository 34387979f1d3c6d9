package import HTTPCore

/// Another server that is a list of answers, and keeps what it was asked.
///
/// Lives on one loop.
package final class ScriptedExchange: HTTPExchange {
    private var script: [Result<InboundResponse, HTTPExchangeError>] = []
    private var surprises: [String] = []
    /// Everything that was asked, in order.
    package private(set) var requests: [OutboundRequest] = []

    /// A server without answers.
    package init() {}

    /// Adds an answer behind those that are there.
    package func answer(_ status: Int, _ body: String = "", fields: [(String, String)] = []) {
        script.append(.success(InboundResponse(status: status, fields: fields, body: Array(body.utf8))))
    }

    /// Adds a failure behind the answers that are there.
    package func fail(_ code: HTTPExchangeError.Code) {
        script.append(.failure(HTTPExchangeError(code, detail: "the script says so")))
    }

    /// Takes out the answers that were not asked.
    package func clear() { script = [] }

    /// What was asked without being in the script, and how much of it was not asked.
    package var complaints: [String] {
        surprises + (script.isEmpty ? [] : ["\(script.count) answers of the other server were not asked"])
    }

    package func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        requests.append(request)
        guard !script.isEmpty else {
            surprises.append("\(request.method) \(request.url) is not in the script")
            throw HTTPExchangeError(.protocolViolation, detail: "the script is over")
        }
        return try script.removeFirst().get()
    }
}
