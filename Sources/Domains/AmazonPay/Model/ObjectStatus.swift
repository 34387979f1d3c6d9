import Commerce
import FoundationEssentials
package import Primitives

/// The state of a charge or refund, and why.
package struct ObjectStatus<State: Sendable & Hashable>: Sendable, Hashable {
    /// How far the object has come.
    package let state: State
    /// Why it is there, in the vendor's word; `nil` where none is given.
    package let reason: ReasonCode?
    /// Why it is there, in the vendor's sentence.
    package let description: String?
    /// When it came there.
    package let updated: WallTime?
}

/// A state as the wire has it: any text makes one.
protocol WireState: Sendable, Hashable {
    init(wire text: String)
}

extension ObjectStatus where State: WireState {
    /// The status of an object; one without any has the state that no text makes.
    init(of object: KeyedDecodingContainer<WireMember>) {
        let members = object.nested(.statusDetails)
        state = State(wire: members?.text(.state) ?? "")
        reason = members?.text(.reasonCode).flatMap(ReasonCode.init(wire:))
        description = members?.text(.reasonDescription)
        updated = members?.time(.lastUpdatedTimestamp)
    }
}

/// The members that are read of charges, refunds, permissions and buyers.
enum WireMember: String, CodingKey {
    case checkoutSessionId, chargePermissionId, chargeId, refundId
    case chargeAmount, captureAmount, refundedAmount, refundAmount
    case limits, amountLimit, amountBalance
    case statusDetails, state, reasons, reasonCode, reasonDescription, lastUpdatedTimestamp
    case creationTimestamp, expirationTimestamp, releaseEnvironment
    case merchantMetadata, merchantReferenceId, customInformation
    case buyer, buyerId, phoneNumber, postalCode, countryCode, shippingAddress, billingAddress
}

extension KeyedDecodingContainer where Key == WireMember {
    /// The object behind a member, `nil` where there is none.
    func nested(_ key: WireMember) -> KeyedDecodingContainer<WireMember>? {
        try? nestedContainer(keyedBy: WireMember.self, forKey: key)
    }

    /// A time of the API.
    func time(_ key: WireMember) -> WallTime? {
        text(key).flatMap(CalendarDate.time)
    }

    /// An address with one part at least.
    func address(_ key: WireMember) -> Address? {
        let address: WireAddress? = value(key)
        return address.flatMap { $0.address.isEmpty ? nil : $0.address }
    }

    /// Where the object lives.
    var environment: AmazonPayEnvironment? {
        text(.releaseEnvironment).flatMap { AmazonPayEnvironment(word: $0.octets.lowercase.octets) }
    }

    /// The identifier that makes the object one of its kind; other kinds name it too, but have `others`.
    func id<ID>(_ key: WireMember, without others: [WireMember] = [], _ read: (String) -> ID?) throws -> ID {
        let isAnother = others.contains { if case .some = text($0) { true } else { false } }
        guard !isAnother, let id = read(text(key) ?? "") else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "no identifier")
        }
        return id
    }
}

/// Reads the body of an answer.
enum ObjectBody {
    /// The object, or `unreadable` with nothing of its content.
    static func read<Object: Decodable>(_ json: [UInt8], as name: String) throws(AmazonPayError) -> Object {
        do {
            return try AnswerJSON.decode(json)
        } catch {
            // What the decoder says may quote the buyer.
            throw AmazonPayError(.unreadable, detail: "\(json.count) bytes that are no \(name)")
        }
    }
}
