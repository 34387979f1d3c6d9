package import Cryptography
package import Primitives

/// An offer of a subscription that the app may show to a customer, signed for StoreKit.
package struct OfferSignature: Sendable {
    /// The key that signed.
    package let keyID: String
    /// Different for each signature.
    package let nonce: UUIDBytes
    /// Milliseconds since 1970; the signature holds for 24 hours.
    package let timestamp: Int64
    /// Base64 of a sequence in DER.
    package let signature: String
}

/// Why an offer is not signed.
package enum OfferError: Error, Sendable, Equatable {
    /// A part is empty, or has control characters or the separator; the text names it.
    case badPart(String)
    /// The cryptographic library refuses.
    case failed
}

/// Signs promotional offers in the form of the original StoreKit.
package struct OfferSigner: Sendable {
    private let key: ES256PrivateKey
    private let keyID: String
    private let bundleID: String

    /// A signer with the key of an app.
    package init(key: ES256PrivateKey, keyID: String, bundleID: String) {
        self.key = key
        self.keyID = keyID
        self.bundleID = bundleID
    }

    /// Signs an offer for a customer.
    ///
    /// - Parameters:
    ///   - appAccountToken: Whose the purchase will be; `nil` for nobody in particular.
    ///   - nonce: A fresh one.
    package func sign(
        offer offerID: String,
        of productID: String,
        for appAccountToken: UUIDBytes?,
        nonce: UUIDBytes,
        at time: WallTime
    ) throws(OfferError) -> OfferSignature {
        let timestamp = time.microseconds / 1_000
        let parts = [
            ("bundle id", bundleID), ("key id", keyID), ("product id", productID), ("offer id", offerID),
        ]
        for (name, part) in parts where !OfferSigner.isPart(part) { throw .badPart(name) }
        let message = OfferSigner.message(
            parts.map(\.1) + [appAccountToken?.description ?? "", nonce.description, String(timestamp)]
        )
        guard let octets = try? key.sign(message), let signed = ECDSASignature(octets: octets, on: .p256) else {
            throw .failed
        }
        return OfferSignature(
            keyID: keyID,
            nonce: nonce,
            timestamp: timestamp,
            signature: Base64.encode(signed.der)
        )
    }

    /// What is signed: the parts with U+2063, the invisible separator, between them.
    package static func message(_ parts: [String]) -> [UInt8] {
        Array(parts.map { Array($0.utf8) }.joined(separator: separator))
    }

    /// Whether a signature is that of a key over a message.
    ///
    /// - Parameter signature: Base64 of a sequence in DER.
    package static func isGood(_ signature: String, of message: [UInt8], by key: ES256PublicKey) -> Bool {
        guard let der = Base64.decode(signature), let signed = ECDSASignature(der: der, on: .p256) else { return false }
        return key.verify(signed.octets, of: message)
    }

    private static let separator = Array("\u{2063}".utf8)

    private static func isPart(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 255 && Array(text.utf8).firstRange(of: separator) == nil
            && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }
}
