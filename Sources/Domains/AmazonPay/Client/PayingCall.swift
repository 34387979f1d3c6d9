package import Commerce
import FoundationEssentials
import Primitives

/// A call that moves money under a permission, in the octets that every try of it sends.
///
/// Made once, stored, and repeated from what was stored: a body that were made anew could differ by a member that a later
/// version adds, and the service would refuse its key.
package struct PayingCall: Sendable, Hashable {
    /// `createCharge`, `capture` or `createRefund`.
    package let operation: AmazonPayOperation
    /// Where it goes, without a leading slash.
    package let resource: String
    /// JSON.
    package let body: [UInt8]
    /// The key of the attempt; the same at every repeat.
    package let key: IdempotencyKey
    /// Whether an earlier try of this attempt may have got through.
    package let isRecovery: Bool

    /// A call as it was stored.
    ///
    /// - Parameters:
    ///   - operation: `createCharge`, `capture` or `createRefund`.
    ///   - body: The octets of the first try.
    ///   - isRecovery: Whether an earlier try of this attempt may have got through.
    package init(
        operation: AmazonPayOperation,
        resource: String,
        body: [UInt8],
        key: IdempotencyKey,
        isRecovery: Bool
    ) {
        self.operation = operation
        self.resource = resource
        self.body = body
        self.key = key
        self.isRecovery = isRecovery
    }

    /// The first try of a charge.
    ///
    /// - Returns: A call that was never sent.
    package static func create(_ charge: ChargeCreation, key: IdempotencyKey) -> PayingCall {
        PayingCall(
            operation: .createCharge,
            resource: AmazonPayOperation.createCharge.resource(),
            body: charge.json,
            key: key,
            isRecovery: false
        )
    }

    /// The first try of taking what is held.
    ///
    /// - Parameters:
    ///   - amount: What to take; once only, the rest is released.
    ///   - softDescriptor: On the card statement; at most 16 characters.
    /// - Returns: A call that was never sent.
    package static func capture(
        _ charge: ChargeID,
        _ amount: Money,
        softDescriptor: String? = nil,
        key: IdempotencyKey
    ) -> PayingCall {
        let body = PayingBody(captureAmount: Price(amount), softDescriptor: softDescriptor)
        return PayingCall(
            operation: .capture,
            resource: AmazonPayOperation.capture.resource(charge.text),
            body: WireJSON.octets(body),
            key: key,
            isRecovery: false
        )
    }

    /// The first try of giving money back.
    ///
    /// - Parameters:
    ///   - softDescriptor: On the card statement; at most 16 characters.
    /// - Returns: A call that was never sent.
    package static func refund(
        _ charge: ChargeID,
        _ amount: Money,
        softDescriptor: String? = nil,
        key: IdempotencyKey
    ) -> PayingCall {
        let body = PayingBody(chargeId: charge.text, refundAmount: Price(amount), softDescriptor: softDescriptor)
        return PayingCall(
            operation: .createRefund,
            resource: AmazonPayOperation.createRefund.resource(),
            body: WireJSON.octets(body),
            key: key,
            isRecovery: false
        )
    }

    /// The same call after a try of which nobody knows what it did.
    ///
    /// - Returns: The same octets and key.
    package func asRecovery() -> PayingCall {
        PayingCall(operation: operation, resource: resource, body: body, key: key, isRecovery: true)
    }
}

/// A charge to make under a permission.
package struct ChargeCreation: Sendable, Hashable {
    /// The permission.
    package var permission: ChargePermissionID
    /// How much.
    package var amount: Money
    /// Whether the money is taken at once, rather than held.
    package var capturesNow = false
    /// On the card statement; at most 16 characters, only where the money is taken at once.
    package var softDescriptor: String?
    /// Whether the call may succeed before the bank has spoken; not where the money is taken at once.
    package var canHandlePendingAuthorization = false
    /// Our own marks.
    package var metadata: MerchantMetadata?

    /// A charge that is held.
    package init(_ permission: ChargePermissionID, _ amount: Money) {
        self.permission = permission
        self.amount = amount
    }

    /// What the service would refuse; one sentence for each, empty where all is well.
    package var problems: [String] {
        var problems: [String] = metadata?.problems ?? []
        if capturesNow, canHandlePendingAuthorization {
            problems.append("a charge that is taken at once cannot be pending")
        }
        if let softDescriptor {
            if softDescriptor.unicodeScalars.count > 16 {
                problems.append("the soft descriptor is longer than 16 characters")
            }
            if !capturesNow { problems.append("a soft descriptor is possible only where the money is taken at once") }
        }
        return problems
    }

    /// The body of the call; the same for the same value.
    package var json: [UInt8] {
        WireJSON.octets(
            PayingBody(
                chargePermissionId: permission.text,
                chargeAmount: Price(amount),
                captureNow: capturesNow,
                canHandlePendingAuthorization: canHandlePendingAuthorization,
                merchantMetadata: metadata,
                softDescriptor: softDescriptor
            )
        )
    }
}

/// The members of all paying bodies; each has its own.
private struct PayingBody: Encodable {
    var chargePermissionId: String?
    var chargeId: String?
    var chargeAmount: Price?
    var captureAmount: Price?
    var refundAmount: Price?
    var captureNow: Bool?
    var canHandlePendingAuthorization: Bool?
    var merchantMetadata: MerchantMetadata?
    var softDescriptor: String?
}

/// What has to be true of an object for it to be the effect of a call.
package struct PayingExpectation: Sendable, Hashable {
    /// The call.
    package let operation: AmazonPayOperation
    /// What was asked for.
    package let amount: Money
    /// What a new charge belongs to.
    package let permission: ChargePermissionID?
    /// What is captured or refunded.
    package let charge: ChargeID?

    /// Reads the octets of a call; `nil` where they are none that this program makes.
    package init?(_ call: PayingCall) {
        let read: Body? = try? AnswerJSON.decode(call.body)
        guard let body = read else { return nil }
        let parts = call.resource.octets.parts(between: UInt8(ascii: "/")).map(\.octets)
        let permission = body.chargePermissionId.flatMap { ChargePermissionID($0) }
        let charge: ChargeID?
        let price: Price?
        switch call.operation {
        case .createCharge:
            guard parts == ["charges"], permission != nil else { return nil }
            charge = nil
            price = body.chargeAmount
        case .capture:
            guard parts.count == 3, let id = ChargeID(parts[1].string),
                call.resource.octets == call.operation.resource(id.text).octets
            else {
                return nil
            }
            charge = id
            price = body.captureAmount
        case .createRefund:
            guard parts == ["refunds"], let id = body.chargeId.flatMap({ ChargeID($0) }) else { return nil }
            charge = id
            price = body.refundAmount
        default: return nil
        }
        guard let amount = price?.money else { return nil }
        operation = call.operation
        self.amount = amount
        self.permission = permission
        self.charge = charge
    }

    private struct Body: Decodable {
        let chargePermissionId: String?
        let chargeId: String?
        let chargeAmount: Price?
        let captureAmount: Price?
        let refundAmount: Price?
    }
}
