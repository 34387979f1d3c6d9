import EventIO
import HTTPCore
import Pages
import Primitives
import Web

/// `GET /.well-known/security.txt`: where weaknesses are reported to (RFC 9116).
enum SecurityTextHandler {
    /// A running program stands for its settings; whoever keeps a copy asks again within this time.
    static let life: Duration = .seconds(30 * 86_400)

    @Sendable static func get(_ exchange: Exchange) throws(Failure) -> HTTPResponse {
        guard let contact = exchange.deployment.securityContact else { throw Failure(.notFound) }
        return HTTPResponse(
            .ok,
            block: exchange.deployment.headers.admin,
            fields: [HTTPField(.contentType, constant: "text/plain; charset=utf-8")],
            body: .bytes(Array(document(contact, now: SystemClock().now()).utf8))
        )
    }

    /// The file, with its two required fields.
    static func document(_ contact: SecurityContact, now: WallTime) -> String {
        "Contact: \(contact.text)\nExpires: \(CalendarDate(now + life).extendedText)\n"
    }
}
