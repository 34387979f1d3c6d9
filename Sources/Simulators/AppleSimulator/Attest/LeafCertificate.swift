import Cryptography
import EventIO
import Primitives

/// The certificate of a device's key, written by hand: the key is there before anybody issues for it.
struct LeafCertificate {
    let point: [UInt8]
    let nonce: Digest32
    let now: WallTime
    let flaw: AttestationFlaw?

    init(point: [UInt8], nonce: Digest32, now: WallTime, flaw: AttestationFlaw?) {
        self.point = point
        self.nonce = nonce
        self.now = now
        self.flaw = flaw
    }

    private static let day = Duration.seconds(86_400)

    /// The certificate in DER.
    func signed(by issuer: AppAttestAuthority.Issuer) throws(CryptographyError) -> [UInt8] {
        let algorithm = DERValue.sequence(DERWriting.identifier(DERWriting.ecdsaWithSHA256))
        let body = DERValue.sequence(
            DERValue.encode(0xA0, DERValue.integer([2])),
            DERValue.integer([1] + KernelRandom().bytes(8)),
            algorithm,
            issuer.certificate.subject,
            DERValue.sequence(DERWriting.time(now + start), DERWriting.time(now + end)),
            subject,
            publicKey,
            DERValue.encode(0xA3, DERValue.encode(DERValue.Tag.sequence, extensions))
        )
        let octets = try issuer.key.sign(body)
        let signature = ECDSASignature(octets: octets, on: .p256)?.der ?? []
        return DERValue.sequence(body, algorithm, DERValue.encode(DERValue.Tag.bitString, [0] + signature))
    }

    /// From the day before, for half a year.
    private var start: Duration {
        switch flaw {
        case .expired: LeafCertificate.day * -200
        case .notYetValid: LeafCertificate.day
        default: LeafCertificate.day * -1
        }
    }

    private var end: Duration { flaw == .expired ? LeafCertificate.day * -1 : LeafCertificate.day * 180 }

    private var subject: [UInt8] {
        DERValue.sequence(
            DERWriting.name([0x55, 0x04, 0x03], SHA256.digest(of: point).hexadecimal),
            DERWriting.name([0x55, 0x04, 0x0B], "AAA Certification"),
            DERWriting.name([0x55, 0x04, 0x0A], "Sallyport Simulator")
        )
    }

    private var publicKey: [UInt8] {
        DERValue.sequence(
            DERValue.sequence(
                DERWriting.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]),
                DERWriting.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07])
            ),
            DERValue.encode(DERValue.Tag.bitString, [0] + point)
        )
    }

    private var extensions: [UInt8] {
        let string = DERValue.encode(DERValue.Tag.octetString, nonce.bytes)
        let field = DERValue.encode(0xA1, flaw == .otherNonceForm ? string + string : string)
        let plain = DERWriting.extension([0x55, 0x1D, 0x13], isCritical: true, DERValue.sequence([]))
        let usage = DERWriting.extension([0x55, 0x1D, 0x0F], isCritical: true, [0x03, 0x02, 0x04, 0xF0])
        guard flaw != .unmarked else { return plain + usage }
        let mark: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x08, 0x02]
        return plain + usage + DERWriting.extension(mark, isCritical: false, DERValue.sequence(field))
    }
}

/// Parts of certificates and signed messages in DER.
enum DERWriting {
    static let ecdsaWithSHA256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]

    static func identifier(_ content: [UInt8]) -> [UInt8] { DERValue.encode(DERValue.Tag.identifier, content) }

    static func name(_ attribute: [UInt8], _ text: String) -> [UInt8] {
        let value = DERValue.encode(DERValue.Tag.utf8String, Array(text.utf8))
        return DERValue.encode(DERValue.Tag.set, DERValue.sequence(identifier(attribute), value))
    }

    static func `extension`(_ name: [UInt8], isCritical: Bool, _ content: [UInt8]) -> [UInt8] {
        DERValue.sequence(
            identifier(name),
            isCritical ? DERValue.encode(DERValue.Tag.boolean, [0xFF]) : [],
            DERValue.encode(DERValue.Tag.octetString, content)
        )
    }

    /// UTCTime up to the year 2049, GeneralizedTime after it.
    static func time(_ time: WallTime) -> [UInt8] {
        let digits = CalendarDate(time).compactText.utf8.filter { $0 != UInt8(ascii: "T") }
        return CalendarDate(time).year < 2050
            ? DERValue.encode(DERValue.Tag.utcTime, Array(digits.dropFirst(2)))
            : DERValue.encode(DERValue.Tag.generalizedTime, Array(digits))
    }
}
