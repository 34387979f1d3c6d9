package import Cryptography
package import JOSE
package import Primitives

/// Judges receipts of attestations.
///
/// One judgement takes about 2 ms; may be used from any thread.
package struct AttestReceiptVerifier: Sendable {
    private let paths: CertificatePathVerifier

    /// A verifier.
    ///
    /// - Parameter roots: Trusted for receipts: Apple Root CA - G3, another one than that of attestations.
    package init(roots: [X509Certificate]) {
        paths = CertificatePathVerifier(roots: roots, purpose: .attestReceipt)
    }

    /// Judges a receipt that has just been made.
    ///
    /// - Parameters:
    ///   - receipt: PKCS#7, in DER or BER.
    ///   - key: As it was attested, for an app in an environment; a receipt of another one is refused.
    ///   - time: When the certificates have to be valid and the receipt fresh.
    package func verify(
        _ receipt: [UInt8],
        key: AttestedKey,
        app: AttestedApp,
        environment: AttestEnvironment,
        at time: WallTime
    ) throws(AttestRefusal) -> AttestReceipt {
        let content = try signedContent(of: receipt, at: time)
        let receipt = try AttestReceipt(content: content, app: app, environment: environment, key: key)
        guard receipt.createdAt <= time + AttestReceipt.greatestLead,
            time <= receipt.createdAt + AttestReceipt.greatestAge, time <= receipt.expiresAt
        else { throw .age }
        return receipt
    }

    /// What one signer has signed with nothing beside it, as Apple does it.
    private func signedContent(of receipt: [UInt8], at time: WallTime) throws(AttestRefusal) -> [UInt8] {
        guard receipt.count <= AttestReceipt.greatestSize else { throw .tooLarge }
        guard let der = try? DERValue.fromBER(receipt), let message = try? SignedMessage(der),
            let content = AttestReceiptVerifier.content(of: der), message.signers.count == 1,
            let signer = message.signers.first, let leaf = message.certificate(of: signer)
        else { throw .form }
        let key = try key(of: leaf, in: message, at: time)
        guard signer.attributes == nil, signer.digest.octets == AttestReceiptVerifier.sha256.octets,
            key.verify(signer.signature, of: content)
        else { throw .signature }
        return content
    }

    private func key(
        of leaf: X509Certificate,
        in message: SignedMessage,
        at time: WallTime
    ) throws(AttestRefusal) -> AttestedKey {
        let others = message.certificates.lazy.compactMap { try? X509Certificate(der: $0) }
        guard let intermediate = others.first(where: { $0.subject == leaf.issuer }) else { throw .path }
        do throws(CertificatePathError) {
            _ = try paths.verify(leaf: leaf.der, intermediate: intermediate.der, at: time)
        } catch {
            throw AttestRefusal(error)
        }
        guard leaf.maySign, let key = AttestedKey(leaf) else { throw .key }
        return key
    }

    private static let sha256 = "2.16.840.1.101.3.4.2.1"

    /// The content that is inside a message.
    private static func content(of message: [UInt8]) -> [UInt8]? {
        guard let outer = try? DERValue(message).values(of: DERValue.Tag.sequence), outer.count == 2,
            let body = try? outer[1].values(of: 0xA0).first?.values(of: DERValue.Tag.sequence), body.count >= 3,
            let information = try? body[2].values(of: DERValue.Tag.sequence), information.count == 2,
            let strings = try? information[1].values(of: 0xA0), strings.count == 1,
            strings[0].tag == DERValue.Tag.octetString
        else { return nil }
        return strings[0].content
    }
}

extension CertificatePurpose {
    /// Receipts of attestations, signed on behalf of Apple's service.
    package static let attestReceipt = CertificatePurpose(
        intermediateMarker: nil,
        leafMarker: "1.2.840.113635.100.12.15"
    )
}
