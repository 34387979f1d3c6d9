package import Cryptography
package import Primitives

/// What a receipt says.
package struct ReceiptOrder: Sendable {
    /// `TEAM.BUNDLE`.
    package let app: String
    /// Whether the app was signed for development.
    package let isDevelopment: Bool
    /// As the app gave it; in a receipt of an exchange, too.
    package let clientDataHash: [UInt8]
    /// How many keys the device has had attested of late; `nil` for the receipt of an attestation.
    package let riskMetric: Int?
    /// How long it is exchanged for no newer one, where it has a metric.
    package var pause = Duration.seconds(86_400)

    /// A receipt of Apple's service, in exchange for another.
    package init(app: String, isDevelopment: Bool, clientDataHash: [UInt8], riskMetric: Int?) {
        self.app = app
        self.isDevelopment = isDevelopment
        self.clientDataHash = clientDataHash
        self.riskMetric = riskMetric
    }

    /// How long receipts can be exchanged.
    static let life = Duration.seconds(90 * 86_400)

    init(_ order: AttestOrder) {
        self.init(
            app: order.app,
            isDevelopment: order.isDevelopment,
            clientDataHash: order.clientDataHash,
            riskMetric: nil
        )
    }
}

extension AppAttestAuthority {
    /// Makes a receipt.
    ///
    /// - Parameter leaf: The certificate of the key, in DER, as it was attested.
    /// - Returns: PKCS#7 in DER.
    /// - Throws: `failed` where OpenSSL refuses.
    package func receipt(
        of leaf: [UInt8],
        _ order: ReceiptOrder,
        now: WallTime,
        flaw: ReceiptFlaw? = nil
    ) throws(CryptographyError) -> [UInt8] {
        var content = try AppAttestAuthority.content(leaf, order, now, flaw)
        var signer = receiptSigner
        var issuer = receiptIntermediate
        switch flaw {
        case .foreignRoot:
            let other = try AppAttestAuthority.make(now: now)
            (signer, issuer) = (other.receiptSigner, other.receiptIntermediate)
        case .expired, .unmarked:
            signer = try Issuer(AppAttestAuthority.issueReceiptSigner(receiptIntermediate, flaw, now))
        default: break
        }
        let octets = try signer.key.sign(content)
        if flaw == .otherContent { content[content.count - 1] ^= 1 }
        return AppAttestAuthority.message(
            content,
            signature: ECDSASignature(octets: octets, on: .p256)?.der ?? [],
            signer: signer.certificate,
            others: [
                try X509Certificate(issuer.certificatePEM).der, try X509Certificate(receiptRoot.certificatePEM).der,
            ]
        )
    }

    /// The certificate of the key that a receipt of this authority is about, in DER; `nil` for other bytes.
    package static func leaf(ofReceipt receipt: [UInt8]) -> [UInt8]? {
        guard let outer = try? DERValue(receipt).values(), outer.count == 2,
            let body = try? outer[1].values().first?.values(), body.count > 2,
            let string = try? body[2].values().last?.values().first,
            let fields = try? DERValue(string.content).values()
        else { return nil }
        for field in fields {
            guard let parts = try? field.values(), parts.count == 3, parts[0].content == [3] else { continue }
            return parts[2].content
        }
        return nil
    }

    private static func content(
        _ leaf: [UInt8],
        _ order: ReceiptOrder,
        _ now: WallTime,
        _ flaw: ReceiptFlaw?
    ) throws(CryptographyError) -> [UInt8] {
        let created = now + (flaw == .old ? .seconds(-3_600) : flaw == .early ? .seconds(3_600) : .zero)
        let isDevelopment = flaw == .otherEnvironment ? !order.isDevelopment : order.isDevelopment
        let kind = flaw == .otherKind ? "TOKEN" : order.riskMetric == nil ? "ATTEST" : "RECEIPT"
        let token = Base64.encode(SHA256.digest(of: leaf).bytes)
        var fields = [
            field(2, flaw == .otherApp ? order.app + ".other" : order.app),
            field(3, flaw == .otherKey ? try otherLeaf(now) : leaf), field(4, order.clientDataHash), field(5, token),
            field(6, kind), field(7, isDevelopment ? "sandbox" : "production"), field(12, text(of: created)),
        ]
        if flaw == .noCreation { fields.removeLast() }
        if flaw == .fieldTwice { fields.append(field(12, text(of: created))) }
        if let metric = order.riskMetric {
            fields += [field(17, String(metric)), field(19, text(of: created + order.pause))]
        }
        fields.append(field(21, text(of: created + ReceiptOrder.life)))
        return DERValue.encode(DERValue.Tag.set, fields.flatMap(\.self))
    }

    private static func otherLeaf(_ now: WallTime) throws(CryptographyError) -> [UInt8] {
        let key = try SimulatedAttestKey.make()
        return try LeafCertificate(point: key.point, nonce: key.id, now: now, flaw: nil)
            .signed(by: AppAttestAuthority.make(now: now).intermediate)
    }

    private static func field(_ number: UInt8, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }

    private static func field(_ number: UInt8, _ value: [UInt8]) -> [UInt8] {
        DERValue.sequence(
            DERValue.integer([number]),
            DERValue.integer([1]),
            DERValue.encode(DERValue.Tag.octetString, value)
        )
    }

    /// To the thousandth of a second.
    private static func text(of time: WallTime) -> String {
        let thousandths = String(time.microseconds / 1_000 % 1_000 + 1_000).dropFirst()
        return CalendarDate(time).extendedText.dropLast() + "." + thousandths + "Z"
    }

    private static func message(
        _ content: [UInt8],
        signature: [UInt8],
        signer: X509Certificate,
        others: [[UInt8]]
    ) -> [UInt8] {
        let sha256 = DERValue.sequence(
            DERWriting.identifier([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]),
            DERValue.encode(0x05, [])
        )
        let name = DERValue.sequence(signer.issuer, DERValue.encode(DERValue.Tag.integer, signer.serialNumber))
        let part = DERValue.sequence(
            DERValue.integer([1]),
            name,
            sha256,
            DERValue.sequence(DERWriting.identifier(DERWriting.ecdsaWithSHA256)),
            DERValue.encode(DERValue.Tag.octetString, signature)
        )
        let inner = DERValue.encode(0xA0, DERValue.encode(DERValue.Tag.octetString, content))
        let body = DERValue.sequence(
            DERValue.integer([1]),
            DERValue.encode(DERValue.Tag.set, sha256),
            DERValue.sequence(DERWriting.identifier(dataIdentifier), inner),
            DERValue.encode(0xA0, signer.der + others.flatMap(\.self)),
            DERValue.encode(DERValue.Tag.set, part)
        )
        return DERValue.sequence(DERWriting.identifier(signedDataIdentifier), DERValue.encode(0xA0, body))
    }

    private static let dataIdentifier: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
    private static let signedDataIdentifier: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
}
