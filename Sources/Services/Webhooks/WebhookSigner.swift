package import Cryptography
import HTTPCore
package import Primitives

/// Signs webhooks, as Standard Webhooks has it: HMAC-SHA256 over `ID.SECONDS.BODY`, in Base64 behind `v1,`.
///
/// One per loop, not `Sendable`.
package final class WebhookSigner {
    private let mac: HMACSHA256

    /// How far the time of a try may be from a receiver's clock.
    package static let tolerance = Duration.seconds(300)
    /// How many signatures of one try a receiver looks at.
    private static let signatureLimit = 8

    /// A signer.
    ///
    /// - Throws: As `HMACSHA256`.
    package init() throws(CryptographyError) {
        mac = try HMACSHA256()
    }

    /// The fields that go with a body.
    ///
    /// - Parameters:
    ///   - id: The event's; the same at every try.
    ///   - body: Octet for octet what is sent.
    ///   - keys: One, or two while an endpoint changes its secret.
    /// - Returns: `webhook-id`, `webhook-timestamp`, `webhook-signature` and `webhook-key-id`; the last two have a part for
    ///   each key in the same order, with a blank between.
    package func fields(
        event id: UUIDBytes,
        at time: WallTime,
        body: [UInt8],
        keys: [WebhookKey]
    ) -> [(String, String)] {
        fields(id: WebhookEvent.text(of: id), at: time, body: body, keys: keys)
    }

    /// The fields that go with a body that is no event.
    ///
    /// - Parameters:
    ///   - id: Of this request; without a dot.
    ///   - body: Octet for octet what is sent.
    package func fields(
        id: String,
        at time: WallTime,
        body: [UInt8],
        keys: [WebhookKey]
    ) -> [(String, String)] {
        let seconds = String(time.seconds)
        let signatures = keys.map { signature(id: id, seconds: seconds, body: body, secret: $0.secret) }
        return [
            ("webhook-id", id),
            ("webhook-timestamp", seconds),
            ("webhook-signature", signatures.joined(separator: " ")),
            ("webhook-key-id", keys.map(\.id).joined(separator: " ")),
        ]
    }

    /// Whether a body comes from whom it says, as a receiver asks.
    ///
    /// - Parameters:
    ///   - fields: Of the request; names in either case. `webhook-key-id` is not signed and not looked at.
    ///   - secrets: The receiver's; a signature by one of them is enough.
    /// - Returns: False for every defect, and for a try whose time is further than `tolerance` away.
    package func verify(
        _ fields: [(String, String)],
        body: [UInt8],
        secrets: [Secret<[UInt8]>],
        now: WallTime
    ) -> Bool {
        guard let id = WebhookSigner.value("webhook-id", in: fields),
            let text = WebhookSigner.value("webhook-timestamp", in: fields),
            let seconds = DecimalDigits.parse(text.utf8Span.span, limit: 1 << 40),
            let signatures = WebhookSigner.value("webhook-signature", in: fields)
        else { return false }
        let time = WallTime(seconds: Int64(seconds))
        guard time <= now + WebhookSigner.tolerance, now <= time + WebhookSigner.tolerance else { return false }
        let parts = signatures.split(separator: " ").prefix(WebhookSigner.signatureLimit)
        return secrets.contains { secret in
            let expected = Array(signature(id: id, seconds: text, body: body, secret: secret).utf8)
            return parts.contains { part in
                let given = Array(part.utf8)
                return constantTimeEqual(given.span, expected.span)
            }
        }
    }

    private static func value(_ name: StaticString, in fields: [(String, String)]) -> String? {
        fields.first { $0.0.utf8Span.span.isEqualIgnoringCase(to: name) }?.1
    }

    /// One signature.
    ///
    /// - Parameters:
    ///   - secret: Any number of bytes.
    /// - Returns: `v1,` and 44 characters.
    package func signature(id: String, seconds: String, body: [UInt8], secret: Secret<[UInt8]>) -> String {
        let message = Array("\(id).\(seconds).".utf8) + body
        let key = secret.reveal()
        return "v1," + Base64.encode(mac.tag(of: message.span, key: key.span).bytes)
    }
}
