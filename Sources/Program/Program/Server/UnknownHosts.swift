import EventIO
import HTTPCore
import HTTPServer
import Primitives
import ServerCore
import Telemetry
import Web

/// Writes down that requests come for another host than those of the settings; one per loop.
///
/// A wrong `web.base_url` or a proxy that changes the host refuses everything, and nothing else tells of it. Scanners ask under any
/// name, so it is one line a minute, with how many there were.
final class UnknownHosts {
    private let served: String
    private let logger: Logger
    private let reactor: Reactor
    private var last: MonotonicTime?
    private var unwritten = 0

    private static let pause = Duration.seconds(60)
    /// Of a host's name in a line; those of the domain name system have 253 at most.
    private static let longest = 253

    init(_ web: WebOrigin, _ link: WebOrigin, _ logger: Logger, on reactor: Reactor) {
        served = web.authority.octets == link.authority.octets ? web.authority : "\(web.authority), \(link.authority)"
        self.logger = logger
        self.reactor = reactor
    }

    /// Notes a request that was answered with 421.
    func note(_ request: HTTPRequest) {
        let now = reactor.now
        if let last, now < last + UnknownHosts.pause {
            unwritten += 1
            return
        }
        last = now
        let host = String(decoding: (request.host ?? "").utf8.prefix(UnknownHosts.longest), as: UTF8.self)
        var fields = [LogField("host", host), LogField("served", served), LogField("request", request.requestID)]
        if unwritten > 0 { fields.append(LogField("unwritten", unwritten)) }
        unwritten = 0
        logger.warning("server.unknown_host", fields)
    }
}

/// The router of the public listeners, with a note of requests for hosts that are not served.
final class PublicRouter: RequestHandler {
    private let router: Router
    private let misdirected: StaticResponse
    private let unknown: UnknownHosts

    /// A router of everything that was mounted, with the answer to every host that is no site's.
    init(_ routes: consuming Routes, misdirected: StaticResponse, noting unknown: UnknownHosts) {
        router = Router(routes, misdirected: misdirected)
        self.misdirected = misdirected
        self.unknown = unknown
    }

    func handle(_ request: HTTPRequest) -> HandlerResult {
        let result = router.handle(request)
        if case .precomposed(let response) = result, response === misdirected { unknown.note(request) }
        return result
    }

    func bodyLimit(for request: HTTPRequest) -> Int? { router.bodyLimit(for: request) }

    func refusal(of request: HTTPRequest, with status: HTTPStatus) -> HTTPResponse? {
        router.refusal(of: request, with: status)
    }

    func patience(for request: HTTPRequest) -> Duration? { router.patience(for: request) }

    func lateAnswer(to request: HTTPRequest) -> HTTPResponse? { router.lateAnswer(to: request) }

    func name(of request: HTTPRequest) -> String { router.name(of: request) }
}
