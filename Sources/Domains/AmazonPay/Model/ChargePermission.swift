package import Commerce
package import Primitives

/// A permission at Amazon to charge a buyer: 180 days, at most 25 charges, up to a limit.
package struct ChargePermission: Sendable, Hashable {
    /// Whether it may be charged.
    package enum State: Sendable, Hashable {
        /// A charge may be made.
        case chargeable
        /// No charge may be made for now; see the reasons.
        case nonChargeable
        /// No charge may be made any more; see the reasons.
        case closed
        /// A state that this program does not know, or none; nothing may be concluded from it.
        case unknown(OctetText)
    }

    /// The identifier.
    package let id: ChargePermissionID
    /// Whether it may be charged.
    package let state: State
    /// Why not; several at once are possible, and none is.
    package let reasons: [ReasonCode]
    /// When the state was entered.
    package let updated: WallTime?
    /// How much may be charged in all.
    package let limit: Price?
    /// How much of it is left.
    package let balance: Price?
    /// The merchant's reference; never a way to find an order, for two shops of one account may use the same.
    package let merchantReferenceID: String?
    /// Our own mark beside it.
    package let customInformation: String?
    /// When it was given.
    package let creation: WallTime?
    /// When it closes by itself; `nil` where the vendor sets no time.
    package let expiration: WallTime?
    /// Who buys; readable for 30 days.
    package let buyer: Buyer?
    /// Where to; readable for 30 days.
    package let shippingAddress: Address?
    /// Whether money moves; `nil` where the vendor does not say.
    package let environment: AmazonPayEnvironment?

    /// Reads a permission.
    ///
    /// - Throws: `unreadable` for text that is not JSON, or holds no identifier.
    package init(json: [UInt8]) throws(AmazonPayError) {
        self = try ObjectBody.read(json, as: "charge permission")
    }
}

extension ChargePermission: Decodable {
    /// Here the vendor lists reasons; its other objects have one.
    private struct Reason: Decodable {
        let reasonCode: String?
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: WireMember.self)
        let status = members.nested(.statusDetails)
        let listed: [Reason] = status?.list(.reasons) ?? []
        let limits = members.nested(.limits)
        let buyer: WireBuyer? = members.value(.buyer)
        id = try members.id(.chargePermissionId, without: [.checkoutSessionId, .chargeId, .refundId]) {
            ChargePermissionID($0)
        }
        state = State(wire: status?.text(.state) ?? "")
        reasons = listed.compactMap(\.reasonCode).compactMap(ReasonCode.init(wire:))
        updated = status?.time(.lastUpdatedTimestamp)
        limit = limits?.value(.amountLimit)
        balance = limits?.value(.amountBalance)
        let metadata = members.nested(.merchantMetadata)
        merchantReferenceID = metadata?.text(.merchantReferenceId)
        customInformation = metadata?.text(.customInformation)
        creation = members.time(.creationTimestamp)
        expiration = members.time(.expirationTimestamp)
        self.buyer = buyer?.buyer
        shippingAddress = members.address(.shippingAddress)
        environment = members.environment
    }
}

extension ChargePermission.State: WireState {
    init(wire text: String) {
        switch text.octets {
        case "Chargeable": self = .chargeable
        case "NonChargeable": self = .nonChargeable
        case "Closed": self = .closed
        default: self = .unknown(text.octets)
        }
    }
}
