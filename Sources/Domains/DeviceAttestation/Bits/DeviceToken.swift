package import Cryptography
package import Primitives

/// Why a text is no device token.
package enum DeviceTokenRefusal: String, Error, Sendable, Hashable, CaseIterable {
    /// Not the standard alphabet of Base64 with its padding, or anything beside it.
    case form
    /// Fewer bytes than any token has.
    case short
    /// More bytes than any token has.
    case long
}

/// A token of a device, as the app got it from its system.
///
/// Nothing can be recognized by it, and it opens the device's bits: it is sent to Apple and nowhere else. It has no description.
package struct DeviceToken: Sendable {
    /// How many bytes a token may have, decoded.
    package static let usualBounds = 100...16_384

    private let text: Secret<String>
    private let octets: Secret<[UInt8]>

    /// Takes a text as it is, with nothing cleaned up.
    package init(
        _ text: String,
        bounds: ClosedRange<Int> = DeviceToken.usualBounds
    ) throws(DeviceTokenRefusal) {
        // Before it is decoded: the text is from outside.
        guard text.utf8.count <= (bounds.upperBound + 2) / 3 * 4 else { throw .long }
        guard let octets = Base64.decode(text) else { throw .form }
        guard octets.count >= bounds.lowerBound else { throw .short }
        guard octets.count <= bounds.upperBound else { throw .long }
        self.text = Secret(text)
        self.octets = Secret(octets)
    }

    /// The text, for a request to Apple.
    package func reveal() -> String { text.reveal() }

    /// What is kept of it: a keyed hash of its bytes, by which it is known again and nothing else.
    package func hash(_ key: Secret<[UInt8]>, with hmac: HMACSHA256) -> Digest32 {
        let (octets, key) = (octets.reveal(), key.reveal())
        return hmac.tag(of: octets.span, key: key.span)
    }
}
