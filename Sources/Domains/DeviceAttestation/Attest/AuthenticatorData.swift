import CBOR
import Primitives

/// What an authenticator says of itself in front of everything it signs.
package struct AuthenticatorData: Sendable {
    /// The key that was made, where it says so.
    package struct Credential: Sendable {
        /// What the kind of authenticator is known by.
        package let authenticatorID: [UInt8]
        /// The id of the key.
        package let id: [UInt8]
        /// The key; `nil` where it is none on P-256 for signatures over SHA-256.
        package let key: AttestedKey?
    }

    /// SHA-256 of the app's identifier.
    package let appHash: [UInt8]
    /// How many times the key has signed.
    package let counter: UInt32
    /// Of an attestation.
    package let credential: Credential?
    /// How the app came onto the device; `nil` on systems before iOS 27, and where it cannot be read.
    package let category: ValidationCategory?
    /// The version of the app that runs; likewise.
    package let bundleVersion: String?

    /// App, flags and counter: what is always there.
    static let headBytes = 37
    /// The most bytes; a name of a key and its key take about 230.
    static let greatestSize = 8_192

    /// Reads what stands in an attestation.
    package static func attestation(_ bytes: [UInt8]) throws(AttestRefusal) -> AuthenticatorData {
        try AuthenticatorData(bytes, hasCredential: true)
    }

    /// Reads what stands in an assertion.
    package static func assertion(_ bytes: [UInt8]) throws(AttestRefusal) -> AuthenticatorData {
        try AuthenticatorData(bytes, hasCredential: false)
    }

    /// The flags are not looked at: systems write a map of extensions without the flag that announces it.
    private init(_ bytes: [UInt8], hasCredential: Bool) throws(AttestRefusal) {
        guard bytes.count <= AuthenticatorData.greatestSize else { throw .tooLarge }
        guard bytes.count >= AuthenticatorData.headBytes else { throw .authenticatorData }
        appHash = Array(bytes[..<32])
        counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        var position = AuthenticatorData.headBytes
        credential = hasCredential ? try AuthenticatorData.credential(in: bytes, at: &position) : nil
        guard position < bytes.count else {
            (category, bundleVersion) = (nil, nil)
            return
        }
        let extensions = try AuthenticatorData.map(in: bytes, at: &position)
        guard position == bytes.count else { throw .authenticatorData }
        category = AuthenticatorData.category(extensions["apple_validation_category_01"])
        bundleVersion = extensions["apple_bundle_version_01"]?.asText
    }

    private static func credential(in bytes: [UInt8], at position: inout Int) throws(AttestRefusal) -> Credential {
        guard bytes.count >= position + 18 else { throw .authenticatorData }
        let authenticatorID = Array(bytes[position..<(position + 16)])
        let length = Int(bytes[position + 16]) << 8 | Int(bytes[position + 17])
        position += 18
        guard bytes.count >= position + length else { throw .authenticatorData }
        let id = Array(bytes[position..<(position + length)])
        position += length
        return Credential(
            authenticatorID: authenticatorID,
            id: id,
            key: AttestedKey(cose: try map(in: bytes, at: &position))
        )
    }

    private static func map(in bytes: [UInt8], at position: inout Int) throws(AttestRefusal) -> CBORValue {
        do throws(CBORError) {
            let (value, end) = try CBORValue.first(of: bytes, from: position)
            position = end
            guard value.entries != nil else { throw .form }
            return value
        } catch {
            throw .authenticatorData
        }
    }

    /// Four bytes, little-endian.
    private static func category(_ value: CBORValue?) -> ValidationCategory? {
        guard let bytes = value?.asBytes, bytes.count == 4 else { return nil }
        let number = bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return ValidationCategory(rawValue: number) ?? .other
    }
}

extension AttestedKey {
    /// A key of COSE (RFC 9053 section 7.1): on P-256, for ES256.
    init?(cose: CBORValue) {
        guard cose[1]?.asInteger == 2, cose[3]?.asInteger == -7, cose[-1]?.asInteger == 1,
            let x = cose[-2]?.asBytes, let y = cose[-3]?.asBytes, x.count == 32, y.count == 32
        else { return nil }
        self.init(point: [4] + x + y)
    }
}
