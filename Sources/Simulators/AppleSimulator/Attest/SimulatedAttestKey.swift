import CBOR
package import Cryptography
package import Primitives

/// A key in the safe part of a simulated device.
package struct SimulatedAttestKey: Sendable {
    /// What app and server call it: SHA-256 of the public key.
    package let id: Digest32
    /// The uncompressed point: 65 bytes.
    package let point: [UInt8]
    /// How many assertions it has made.
    package private(set) var counter: UInt32
    private let key: ES256PrivateKey
    /// Private key, PKCS#8 in PEM, to be kept with the device.
    package let pem: Secret<[UInt8]>

    /// Makes a key.
    package static func make() throws(CryptographyError) -> SimulatedAttestKey {
        try SimulatedAttestKey(pem: ES256PrivateKey.generatePEM(), counter: 0)
    }

    /// A key that was made before.
    package init(pem: Secret<[UInt8]>, counter: UInt32) throws(CryptographyError) {
        self.pem = pem
        self.counter = counter
        key = try ES256PrivateKey(pem: pem)
        guard case .ecdsa(let x, let y, _) = try PublicKey(pem: key.publicPEM()).numbers() else {
            throw CryptographyError(.invalidKey, "not a key on a curve")
        }
        point = [4] + x + y
        id = SHA256.digest(of: point)
    }

    /// Signs a request, and counts.
    ///
    /// - Parameters:
    ///   - clientDataHash: As the app gives it.
    ///   - app: `TEAM.BUNDLE`.
    ///   - extensions: What systems from iOS 27 on say of the app; none for older ones.
    package mutating func assert(
        clientDataHash: [UInt8],
        app: String,
        extensions: AttestExtensions? = nil,
        flaw: AssertionFlaw? = nil
    ) throws(CryptographyError) -> [UInt8] {
        if flaw != .sameCounter { counter += 1 }
        var data = AttestBytes.head(app: flaw == .otherApp ? app + ".other" : app, flags: 0x40, counter: counter)
        data += extensions?.encoded ?? []
        if flaw == .cutData { data.removeLast() }
        let signed = data + (flaw == .otherRequest ? SHA256.digest(of: clientDataHash).bytes : clientDataHash)
        let signer = flaw == .otherKey ? try SimulatedAttestKey.make().key : key
        // The digest is the message, unless the flaw is to take it for a digest.
        let signature = try signer.sign(flaw == .signedDigest ? signed : SHA256.digest(of: signed).bytes)
        let der = ECDSASignature(octets: signature, on: .p256)?.der ?? []
        let members = [
            CBOREntry(.text("signature"), .bytes(der)), CBOREntry(.text("authenticatorData"), .bytes(data)),
        ]
        let object = CBORValue.map(flaw == .noSignature ? Array(members.dropFirst()) : members).encoded
        return flaw == .trailingByte ? object + [0] : object
    }
}

/// What systems from iOS 27 on say of the app behind everything they sign.
package struct AttestExtensions: Sendable {
    /// How the app came onto the device, for example 4 for the App Store.
    package let category: UInt32
    /// The version of the app.
    package let bundleVersion: String

    /// What is said.
    package init(category: UInt32, bundleVersion: String) {
        self.category = category
        self.bundleVersion = bundleVersion
    }

    var encoded: [UInt8] {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: category >> (8 * UInt32($0))) }
        return CBORValue.map([
            CBOREntry(.text("apple_bundle_version_01"), .text(bundleVersion)),
            CBOREntry(.text("apple_validation_category_01"), .bytes(bytes)),
        ]).encoded
    }
}

/// Parts of what authenticators write.
enum AttestBytes {
    /// App, flags and counter.
    static func head(app: String, flags: UInt8, counter: UInt32) -> [UInt8] {
        SHA256.digest(of: Array(app.utf8)).bytes + [flags]
            + (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * UInt32($0))) }
    }

    /// A key in COSE.
    static func cose(_ point: [UInt8]) -> [UInt8] {
        CBORValue.map([
            CBOREntry(CBORValue(1), CBORValue(2)), CBOREntry(CBORValue(3), CBORValue(-7)),
            CBOREntry(CBORValue(-1), CBORValue(1)), CBOREntry(CBORValue(-2), .bytes(Array(point[1..<33]))),
            CBOREntry(CBORValue(-3), .bytes(Array(point[33..<65]))),
        ]).encoded
    }
}
