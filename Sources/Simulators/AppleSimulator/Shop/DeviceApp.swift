import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON

/// The app on a customer's device: signed in at the developer's server, to which it hands purchases in.
struct DeviceApp: Sendable {
    /// Scheme, host and port.
    let server: String
    /// Of the account that is signed in.
    let token: Secret<String>
    /// What the server said the account has; `nil` where it has not been asked.
    var balance: Int?
    /// What the server has answered of late.
    private(set) var lines: [String] = []

    private static let lineLimit = 20

    /// An app that an account is signed in with.
    ///
    /// - Throws: 400, naming what is wrong.
    init(server: String, token: String) throws(ControlError) {
        guard let url = WebURL(server), url.isTrustworthy else { throw ControlError("server is no https address.") }
        guard token.octets.isWord else { throw ControlError("token is printable ASCII without blanks.") }
        (self.server, self.token) = (url.origin, Secret(token))
    }

    mutating func note(_ line: String) {
        lines.append(line)
        if lines.count > Self.lineLimit { lines.removeFirst() }
    }

    /// A request in the name of the account.
    ///
    /// - Parameter path: Behind that of all routes for apps.
    func request(_ method: String, _ path: String, body: JSONValue? = nil) -> OutboundRequest {
        var fields = [("Authorization", "Bearer " + token.reveal()), ("Accept", "application/json")]
        if body != nil { fields.append(("Content-Type", "application/json")) }
        return OutboundRequest(
            method: method,
            url: server + "/app/v1/" + path,
            fields: fields,
            body: body?.bytes ?? [],
            timeout: .seconds(30)
        )
    }
}

extension DeviceView {
    /// The key of its app.
    var key: OctetText { (environment.rawValue + " " + customer).octets }

    /// Where a purchase was made, and by whom.
    init(of purchase: Purchase) {
        (customer, environment) = (purchase.customer, purchase.environment)
    }
}
