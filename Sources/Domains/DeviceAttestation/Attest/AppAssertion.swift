import CBOR
import Cryptography
package import Primitives

/// A request that a known key has signed, taken apart and judged but for its counter.
package struct AppAssertion: Sendable {
    /// Has to be greater than that of the assertion before, which the caller decides in one step with storing it.
    package let counter: UInt32
    /// How the app came onto the device; `nil` on systems before iOS 27.
    package let category: ValidationCategory?
    /// The version of the app; likewise.
    package let bundleVersion: String?

    /// The most bytes of an assertion; those of today have about 220.
    package static let greatestSize = 4_096

    /// Judges an assertion.
    ///
    /// Takes about as long as a verification on P-256. That the challenge in the client data is one of ours and unused is for the
    /// caller to find out.
    ///
    /// - Parameters:
    ///   - object: As the system gave it to the app.
    ///   - clientDataHash: What the app gave the system: SHA-256 of the client data.
    ///   - key: As it was attested.
    ///   - app: For which it was attested.
    package static func verify(
        _ object: [UInt8],
        clientDataHash: [UInt8],
        key: AttestedKey,
        app: AttestedApp
    ) throws(AttestRefusal) -> AppAssertion {
        guard object.count <= greatestSize else { throw .tooLarge }
        guard let map = try? CBORValue(object), map.entries != nil else { throw .form }
        guard let signature = map["signature"]?.asBytes, let bytes = map["authenticatorData"]?.asBytes else {
            throw .members
        }
        // The digest of both is the message of the signature, which makes a digest of it once more.
        let nonce = SHA256.digest(of: bytes + clientDataHash)
        guard key.verify(signature, of: nonce.bytes) else { throw .signature }
        let data = try AuthenticatorData.assertion(bytes)
        guard data.appHash == app.identifierHash.bytes else { throw .app }
        return AppAssertion(counter: data.counter, category: data.category, bundleVersion: data.bundleVersion)
    }
}

/// A request as an app signs it.
///
/// The text is made anew from the request that came, so that an assertion is worth nothing for another one:
///
///     sallyport-assertion-1
///     POST
///     /app/v1/devices/claim
///     SHA-256 of the body in hexadecimal digits
///     the challenge as the server wrote it
package struct AssertedRequest: Sendable {
    /// In upper case.
    package let method: String
    /// Path and query as they were sent.
    package let target: String
    /// SHA-256 of the bytes of the body, none for a request without one.
    package let bodyDigest: Digest32
    /// As the server wrote it.
    package let challenge: String

    /// A request.
    package init(method: String, target: String, body: [UInt8], challenge: String) {
        self.method = method
        self.target = target
        bodyDigest = SHA256.digest(of: body)
        self.challenge = challenge
    }

    /// The bytes whose digest the app gives the system.
    package var clientData: [UInt8] {
        Array("sallyport-assertion-1\n\(method)\n\(target)\n\(bodyDigest.hexadecimal)\n\(challenge)".utf8)
    }

    /// SHA-256 of the client data.
    package var clientDataHash: [UInt8] { SHA256.digest(of: clientData).bytes }
}
