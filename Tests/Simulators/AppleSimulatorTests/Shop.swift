import EventIO
import HTTPCore
import HTTPServer
import StrictJSON

/// A developer's server whose answers a test writes down.
final class Shop: RequestHandler {
    var origin = ""
    var answers: [(status: Int, body: JSONValue)] = []
    private(set) var requests: [(path: String, token: String, body: [UInt8])] = []

    func bodyLimit(for request: HTTPRequest) -> Int? { 1 << 20 }

    func handle(_ request: HTTPRequest) -> HandlerResult {
        let token = HTTPFieldName("authorization").flatMap { request.values($0).first } ?? ""
        requests.append((request.path, token, request.body))
        let answer = answers.isEmpty ? (404, .null) : answers.removeFirst()
        return .now(HTTPResponse(HTTPStatus(answer.status) ?? .internalError, body: .bytes(answer.body.bytes)))
    }

    /// Starts one on a loop.
    static func start(on reactor: Reactor) throws -> (shop: Shop, server: Server) {
        let shop = Shop()
        let listener = ServerConfiguration.Listener(SocketAddress(v4: 0x7F00_0001, port: 0), .clear)
        let server = Server(ServerConfiguration(name: "shop", listeners: [listener]))
        try server.attach(to: reactor, handler: shop)
        shop.origin = "http://127.0.0.1:\(server.boundAddresses[0].port)"
        return (shop, server)
    }
}
