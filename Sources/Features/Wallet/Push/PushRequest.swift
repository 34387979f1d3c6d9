import HTTP2
import Primitives

/// The requests that wake phones: nothing is in them, as the phone asks for what has changed.
struct PushRequest: Sendable {
    let authority: String
    let topic: String
    /// Empty for none.
    let type: String
    let expiry: Duration

    private static let body = Array("{}".utf8)

    /// A request for one try.
    ///
    /// - Parameters:
    ///   - token: Hexadecimal, lower case.
    ///   - authorization: A provider token; `nil` where the connection shows a certificate.
    func head(
        _ token: String,
        authorization: Secret<String>?,
        at now: WallTime,
        random: any RandomSource
    ) -> HTTP2Request {
        var fields = [HTTP2Request.Field("apns-topic", topic, isIndexed: true)]
        if !type.isEmpty { fields.append(HTTP2Request.Field("apns-push-type", type, isIndexed: true)) }
        fields.append(HTTP2Request.Field("apns-priority", "5", isIndexed: true))
        fields.append(HTTP2Request.Field("apns-expiration", "\((now + expiry).seconds)"))
        fields.append(HTTP2Request.Field("apns-id", PushRequest.identifier(random).description))
        if let authorization {
            fields.append(HTTP2Request.Field("authorization", "bearer " + authorization.reveal(), isIndexed: true))
        }
        return HTTP2Request(
            method: "POST",
            authority: authority,
            path: "/3/device/" + token,
            fields: fields,
            body: PushRequest.body
        )
    }

    /// A random UUID, version 4.
    private static func identifier(_ random: any RandomSource) -> UUIDBytes {
        let (high, low) = (random.number(byteCount: 8), random.number(byteCount: 8))
        return UUIDBytes(
            high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
            low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
    }
}
