import CBOR
package import Cryptography
import EventIO
package import Primitives

/// What a device asks to have attested.
package struct AttestOrder: Sendable {
    /// The key.
    package let key: SimulatedAttestKey
    /// `TEAM.BUNDLE`.
    package let app: String
    /// Whether the app was signed for development.
    package let isDevelopment: Bool
    /// As the app gives it: SHA-256 of the challenge.
    package let clientDataHash: [UInt8]
    /// What systems from iOS 27 on say of the app; none for older ones.
    package let extensions: AttestExtensions?

    /// An order.
    package init(
        key: SimulatedAttestKey,
        app: String,
        isDevelopment: Bool,
        clientDataHash: [UInt8],
        extensions: AttestExtensions? = nil
    ) {
        self.key = key
        self.app = app
        self.isDevelopment = isDevelopment
        self.clientDataHash = clientDataHash
        self.extensions = extensions
    }
}

extension AppAttestAuthority {
    /// Attests a key, as system and Apple do it together.
    ///
    /// - Returns: The object in CBOR, as the app sends it to its server.
    /// - Throws: `failed` where OpenSSL refuses.
    package func attest(
        _ order: AttestOrder,
        now: WallTime,
        flaw: AttestationFlaw? = nil
    ) throws(CryptographyError) -> [UInt8] {
        var data = try AppAttestAuthority.data(order, flaw)
        if flaw == .cutData { data.removeLast(70) }
        if flaw == .trailingData { data.append(0) }
        let attested = flaw == .otherChallenge ? SHA256.digest(of: order.clientDataHash).bytes : order.clientDataHash
        let certificate = try LeafCertificate(
            point: flaw == .otherKey ? SimulatedAttestKey.make().point : order.key.point,
            nonce: SHA256.digest(of: data + attested),
            now: now,
            flaw: flaw
        )
        let issuer = flaw == .foreignRoot ? try AppAttestAuthority.make(now: now).intermediate : intermediate
        let leaf = try certificate.signed(by: issuer)
        let receipt = try self.receipt(of: leaf, ReceiptOrder(order), now: now)
        var certificates = [leaf, issuer.certificate.der]
        switch flaw {
        case .oneCertificate: certificates.removeLast()
        case .threeCertificates: certificates.append(try X509Certificate(root.certificatePEM).der)
        case .swappedCertificates: certificates.reverse()
        default: break
        }
        let object = AppAttestAuthority.object(certificates, flaw == .noReceipt ? nil : receipt, data, flaw)
        return flaw == .trailingByte ? object + [0] : object
    }

    /// The receipt inside an attestation; `nil` where there is none.
    static func receipt(of attestation: [UInt8]) -> [UInt8]? {
        (try? CBORValue(attestation))?["attStmt"]?["receipt"]?.asBytes
    }

    private static func data(_ order: AttestOrder, _ flaw: AttestationFlaw?) throws(CryptographyError) -> [UInt8] {
        let app = flaw == .otherApp ? order.app + ".other" : order.app
        let kind =
            order.isDevelopment ? Array("appattestdevelop".utf8) : Array("appattest".utf8) + [0, 0, 0, 0, 0, 0, 0]
        let id = flaw == .otherCredential ? SHA256.digest(of: order.key.id.bytes).bytes : order.key.id.bytes
        let point = flaw == .otherCredentialKey ? try SimulatedAttestKey.make().point : order.key.point
        return AttestBytes.head(app: app, flags: 0x40, counter: flaw == .counterMoved ? 1 : 0)
            + (flaw == .otherAuthenticator ? Array("appattest-others".utf8) : kind) + [0, 32] + id
            + AttestBytes.cose(point) + (order.extensions?.encoded ?? [])
    }

    private static func object(
        _ certificates: [[UInt8]],
        _ receipt: [UInt8]?,
        _ data: [UInt8],
        _ flaw: AttestationFlaw?
    ) -> [UInt8] {
        let chain = CBOREntry(.text("x5c"), .array(certificates.map { .bytes($0) }))
        let statement = [chain] + (receipt.map { [CBOREntry(.text("receipt"), .bytes($0))] } ?? [])
        return CBORValue.map([
            CBOREntry(.text("fmt"), .text(flaw == .otherFormat ? "packed" : "apple-appattest")),
            CBOREntry(.text("attStmt"), .map(statement)), CBOREntry(.text("authData"), .bytes(data)),
        ]).encoded
    }
}
