import HTTPCore
import HTTPServer
import SessionBroker

/// The listener that only says where the pages are: plain HTTP, session-security T18.
///
/// A GET or HEAD without a token is sent to the same path of the https origin. No query is ever copied, for it may hold what must not
/// travel in clear. A token that was seen here is burnt: its flow is revoked, and the trail says so.
final class Downgrade: RequestHandler {
    private let services: LoopServices
    private let hosts: [(name: String, target: String)]
    private let headers: FieldBlock

    /// The handler of one loop.
    ///
    /// - Parameters:
    ///   - services: What the loop offers.
    ///   - origins: Where each host really is.
    init(_ services: LoopServices, origins: [WebOrigin]) {
        self.services = services
        hosts = origins.map { ($0.host, $0.text) }
        headers = services.deployment.headers.downgrade
    }

    func handle(_ request: HTTPRequest) -> HandlerResult {
        // The port is this listener's own, whatever that is.
        let name = (request.first(.host) ?? "").lowercased().prefix { $0 != ":" }
        guard let host = hosts.first(where: { $0.name == name }) else {
            return .now(HTTPResponse(.misdirected, block: headers))
        }
        let tokens = PlaintextTokens(request)
        guard tokens.isEmpty else {
            let caller = Exchange(request: request, services: services).caller
            let services = services
            let headers = headers
            return .later {
                do throws(Failure) {
                    try await services.burn(tokens, by: caller)
                    return HTTPResponse(.forbidden, block: headers)
                } catch {
                    services.note(error, request)
                    return HTTPResponse(error.code.status, block: headers)
                }
            }
        }
        guard request.method == .get || request.method == .head else {
            return .now(HTTPResponse(.forbidden, block: headers))
        }
        var response = HTTPResponse(.seeOther, block: headers)
        _ = response.add(.location, host.target + request.path)
        return .now(response)
    }
}

extension LoopServices {
    /// Revokes the flows of tokens that travelled in clear.
    ///
    /// - Parameters:
    ///   - tokens: Those that were found.
    ///   - caller: Who sent them.
    /// - Throws: `unavailable`, `rate_limited` or `internal_error`.
    fileprivate func burn(_ tokens: PlaintextTokens, by caller: Caller) async throws(Failure) {
        try await asking { (broker) async throws(BrokerError) in
            for ticket in tokens.launch { try await broker.notePlaintext(ticket, by: caller) }
            for token in tokens.tab { try await broker.notePlaintext(token, by: caller) }
            for ticket in tokens.back { try await broker.notePlaintext(ticket, by: caller) }
        }
    }
}

/// The tokens in a request, wherever they stand: in path, query, any field, or the content.
///
/// Their alphabet needs no escape, so they are looked for as they are.
struct PlaintextTokens: Sendable {
    private(set) var launch: [LaunchTicket] = []
    private(set) var tab: [TabToken] = []
    private(set) var back: [ReturnTicket] = []

    /// Each costs a statement, and an honest request has two or three.
    private static let limit = 4

    /// Looks through a request.
    ///
    /// - Parameter request: Whole.
    init(_ request: HTTPRequest) {
        look(through: request.head.bytes)
        look(through: request.body)
    }

    /// Whether there are none.
    var isEmpty: Bool { launch.isEmpty && tab.isEmpty && back.isEmpty }

    private mutating func look(through bytes: [UInt8]) {
        let length = LaunchTicket.characterCount
        var start = 0
        while start + length <= bytes.count, launch.count + tab.count + back.count < PlaintextTokens.limit {
            guard bytes[start] == UInt8(ascii: "s"), bytes[start + 1] == UInt8(ascii: "w") else {
                start += 1
                continue
            }
            let candidate = bytes.span.extracting(start..<start + length)
            if let ticket = LaunchTicket.parse(candidate) {
                launch.append(ticket)
            } else if let token = TabToken.parse(candidate) {
                tab.append(token)
            } else if let ticket = ReturnTicket.parse(candidate) {
                back.append(ticket)
            }
            start += 2
        }
    }
}
