import EventIO
import HTTPCore
import Primitives
import ServerCore
import Settings

/// Who gets what from the administration listener: health is for everybody, pages ask for a sign-in of their own, all else needs
/// the token, where there is one.
///
/// Where the listener is on loopback, a page of any site can have a browser of this machine ask it, under a name that the
/// site's own DNS leads to 127.0.0.1. So there a Host has to be a name of this machine. Elsewhere balancers and orchestrators
/// ask under names that nobody here knows, and the token is what protects.
struct AdminAccess: Sendable {
    /// The paths that need no token; they reveal nothing but the version and whether the program can work.
    static let openPaths: [StaticString] = ["/healthz", "/readyz"]

    /// Hosts under which it may be asked, on any port; `nil` where any will do.
    private let hosts: [[UInt8]]?
    /// `nil` on loopback, where none is demanded.
    private let token: Secret<[UInt8]>?

    /// What the settings come to.
    ///
    /// - Parameter configuration: Checked.
    /// - Throws: What is wrong with the file of the token.
    init(_ configuration: Configuration) throws(ConfigurationError) {
        let listeners = configuration.listeners
        self.init(listener: listeners.admin, origin: listeners.adminOrigin, token: try configuration.adminToken())
    }

    init(listener: SocketAddress?, origin: WebOrigin? = nil, token: Secret<[UInt8]>?) {
        self.token = token
        if let listener, listener.isLocal, !listener.addressBytes.isEmpty {
            let own = listener.host.utf8.contains(UInt8(ascii: ":")) ? "[\(listener.host)]" : listener.host
            let names = ["localhost", "127.0.0.1", "[::1]", own] + (origin.map { [$0.host] } ?? [])
            hosts = names.map { Array($0.utf8) }
        } else {
            hosts = nil
        }
    }

    /// What a request is refused with before its route is looked for; `nil` where it may go on.
    ///
    /// - Parameter signIn: Paths that the token is not asked for.
    func refusal(of request: HTTPRequest, _ fields: FieldBlock, signIn: SignInPaths? = nil) -> HTTPResponse? {
        if let hosts, request.count(.host) > 0, !hosts.contains(where: { request.hostNames($0, onAnyPort: true) }) {
            return HTTPResponse(.misdirected, block: fields)
        }
        guard let token, !AdminAccess.openPaths.contains(where: { request.pathIs($0) }),
            signIn?.contain(request) != true, !isShown(token, request)
        else { return nil }
        var response = HTTPResponse(.unauthorized, block: fields)
        response.add(.wwwAuthenticate, constant: "Bearer realm=\"sallyport\"")
        return response
    }

    private func isShown(_ token: Secret<[UInt8]>, _ request: HTTPRequest) -> Bool {
        guard let text = request.bearerToken else { return false }
        let (shown, own) = (Array(text.utf8), token.reveal())
        return constantTimeEqual(shown.span, own.span)
    }
}
