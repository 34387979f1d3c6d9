import Cryptography
package import Primitives

/// What Apple says about a device in exchange for the receipt before.
package struct AttestReceipt: Sendable {
    /// Where a receipt comes from.
    package enum Kind: String, Sendable {
        /// Of an attestation.
        case attestation = "ATTEST"
        /// Of Apple's service, in exchange for another.
        case exchange = "RECEIPT"
    }

    /// Where it comes from.
    package let kind: Kind
    /// The key that it is about.
    package let key: AttestedKey
    /// When Apple made it.
    package let createdAt: WallTime
    /// How many keys the device has had attested in about thirty days; `nil` where Apple does not say it.
    package let riskMetric: Int?
    /// Before this time Apple gives no other in exchange.
    package let notBefore: WallTime?
    /// After this time Apple gives none either.
    package let expiresAt: WallTime

    /// How old a fresh one may be.
    package static let greatestAge = Duration.seconds(5 * 60)
    /// How far Apple's clock may be ahead of ours.
    package static let greatestLead = Duration.seconds(60)
    /// The most bytes of a receipt; those of today have about 4,000.
    package static let greatestSize = 1 << 15
}

extension AttestReceipt {
    /// Fields by number.
    private enum Field {
        static let app = 2
        static let certificate = 3
        static let kind = 6
        static let environment = 7
        static let creation = 12
        static let riskMetric = 17
        static let notBefore = 19
        static let expiry = 21
    }

    /// Reads the fields of what a receipt has signed: those for another app, environment or key are refused.
    init(
        content: [UInt8],
        app: AttestedApp,
        environment: AttestEnvironment,
        key: AttestedKey
    ) throws(AttestRefusal) {
        let fields = try AttestReceipt.fields(of: content)
        guard try AttestReceipt.text(fields, Field.app).octets == app.text.octets else { throw .app }
        guard try AttestReceipt.text(fields, Field.environment).octets == environment.receiptWord.octets else {
            throw .environment
        }
        guard let der = fields[Field.certificate], let certificate = try? X509Certificate(der: der),
            let own = AttestedKey(certificate)
        else { throw .certificateForm }
        guard own == key else { throw .credentialKey }
        switch try AttestReceipt.text(fields, Field.kind).octets {
        case "ATTEST": kind = .attestation
        case "RECEIPT": kind = .exchange
        default: throw .field
        }
        guard let created = try AttestReceipt.time(fields, Field.creation),
            let expires = try AttestReceipt.time(fields, Field.expiry)
        else { throw .field }
        self.key = own
        createdAt = created
        expiresAt = expires
        notBefore = try AttestReceipt.time(fields, Field.notBefore)
        riskMetric = try AttestReceipt.number(fields, Field.riskMetric)
    }

    /// A set of fields, each with number, version and value.
    private static func fields(of content: [UInt8]) throws(AttestRefusal) -> [Int: [UInt8]] {
        do throws(DERError) {
            var fields: [Int: [UInt8]] = [:]
            for item in try DERValue(DERValue.fromBER(content)).values(of: DERValue.Tag.set) {
                let parts = try item.values(of: DERValue.Tag.sequence)
                guard parts.count == 3, parts[2].tag == DERValue.Tag.octetString else {
                    throw DERError("a field has number, version and value")
                }
                let digits = try parts[0].magnitude()
                guard digits.count <= 2 else { continue }
                let number = digits.reduce(0) { $0 << 8 | Int($1) }
                guard fields.updateValue(parts[2].content, forKey: number) == nil else {
                    throw DERError("a field twice")
                }
            }
            return fields
        } catch {
            throw .field
        }
    }

    private static func text(_ fields: [Int: [UInt8]], _ number: Int) throws(AttestRefusal) -> String {
        guard let bytes = fields[number], let text = String(validating: bytes, as: UTF8.self) else { throw .field }
        return text
    }

    /// A time with a fraction of a second from which zeros at the end are left out, as `2026-04-21T18:13:12.15Z`; `nil` where there is none.
    private static func time(_ fields: [Int: [UInt8]], _ number: Int) throws(AttestRefusal) -> WallTime? {
        guard let bytes = fields[number], !bytes.isEmpty else { return nil }
        guard (20...26).contains(bytes.count), bytes.last == UInt8(ascii: "Z"),
            let time = CalendarDate.time(of: String(decoding: bytes[..<19], as: UTF8.self) + "Z")
        else { throw .field }
        let fraction = bytes[19...].dropLast()
        guard let point = fraction.first else { return time }
        let digits = fraction.dropFirst()
        guard point == UInt8(ascii: "."), let number = decimal(digits) else { throw .field }
        return time + .microseconds((digits.count..<6).reduce(number) { value, _ in value * 10 })
    }

    private static func number(_ fields: [Int: [UInt8]], _ number: Int) throws(AttestRefusal) -> Int? {
        guard let bytes = fields[number], !bytes.isEmpty else { return nil }
        guard let value = AttestReceipt.decimal(bytes[...]) else { throw .field }
        return value
    }

    private static func decimal(_ digits: ArraySlice<UInt8>) -> Int? {
        guard (1...9).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
