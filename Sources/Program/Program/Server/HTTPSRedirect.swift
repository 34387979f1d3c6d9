import HTTPCore
import HTTPServer
import ServerCore
import Web

/// The listener that only says where the pages are: plain HTTP, T18 of docs/contract.md.
///
/// A GET or HEAD without a token is sent to the https origin: to the same path where that is a route's, to `/` where it is any
/// other, so that nothing of what was asked for is repeated. No query is ever copied, for it may hold what must not travel in
/// clear. A token that was seen here is revoked with its session, and the trail says so.
final class HTTPSRedirect: RequestHandler {
    private struct Host {
        let name: [UInt8]
        let target: String
        let paths: [[UInt8]]
    }

    private let plaintext: (any PlaintextGuard)?
    private let hosts: [Host]
    private let headers: FieldBlock
    private let unknown: UnknownHosts?

    /// The handler of one loop.
    ///
    /// - Parameters:
    ///   - plaintext: Finds what must not travel in clear; `nil` where there is no such thing.
    init(
        _ plaintext: (any PlaintextGuard)?,
        _ headers: HeaderPolicy,
        web: WebOrigin,
        link: WebOrigin,
        noting unknown: UnknownHosts? = nil
    ) {
        self.plaintext = plaintext
        self.unknown = unknown
        func paths(_ site: SiteName) -> [[UInt8]] {
            // A program that forgot the TLS of an interface is not led on.
            RoutesCommand.pageRoutes.filter { $0.site == site && $0.method == .get }
                .map { Array($0.path.utf8) }
        }
        hosts = [
            Host(name: Array(web.host.utf8), target: web.text, paths: paths(.web)),
            Host(name: Array(link.host.utf8), target: link.text, paths: paths(.link)),
        ]
        self.headers = headers.downgrade
    }

    func handle(_ request: HTTPRequest) -> HandlerResult {
        // Before the host is looked at: whoever reads along reads a request to another name too.
        if let revoke = plaintext?.revocation(of: request) {
            let headers = headers
            return .later { HTTPResponse(await revoke(), block: headers) }
        }
        guard let host = hosts.first(where: { request.hostNames($0.name, onAnyPort: true) }) else {
            unknown?.note(request)
            return .now(HTTPResponse(.misdirected, block: headers))
        }
        guard request.method == .get || request.method == .head else {
            return .now(HTTPResponse(.forbidden, block: headers))
        }
        var response = HTTPResponse(.seeOther, block: headers)
        let path = host.paths.first { request.pathIs($0) }.map { String(decoding: $0, as: UTF8.self) } ?? "/"
        _ = response.add(.location, host.target + path)
        return .now(response)
    }
}
