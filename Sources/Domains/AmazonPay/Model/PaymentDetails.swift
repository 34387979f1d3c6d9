package import Commerce

/// What is to happen to the money when the buyer is through.
package enum PaymentIntent: String, Sendable, Hashable, CaseIterable, Encodable {
    /// Nothing yet: only the permission is given.
    case confirm = "Confirm"
    /// It is held.
    case authorize = "Authorize"
    /// It is taken.
    case authorizeWithCapture = "AuthorizeWithCapture"
}

/// What a buyer is to pay, and how.
package struct PaymentDetails: Sendable, Hashable {
    /// What is to happen to the money.
    package var intent: PaymentIntent
    /// What is to be held or taken; `nil` only with `confirm`.
    package var amount: Money?
    /// The whole order, where more than one charge is to come; `nil` for the amount.
    package var totalOrderAmount: Money?
    /// On the card statement behind `AMZ* `; at most 16 characters, only with `authorizeWithCapture`.
    package var softDescriptor: String?
    /// Whether complete may succeed before the bank has spoken; only with `authorize`.
    package var canHandlePendingAuthorization = false

    /// Details that hold an amount until it is captured.
    ///
    /// - Parameters:
    ///   - intent: What is to happen to the money.
    ///   - amount: What is to be held or taken.
    package init(_ intent: PaymentIntent = .authorize, amount: Money?) {
        self.intent = intent
        self.amount = amount
    }

    /// What the service would refuse; one sentence for each, empty where all is well.
    package var problems: [String] {
        var problems: [String] = []
        if amount == nil, intent != .confirm { problems.append("only a confirmation goes without an amount") }
        if canHandlePendingAuthorization, intent != .authorize {
            problems.append("a pending authorisation is possible with the intent Authorize only")
        }
        if let softDescriptor {
            if softDescriptor.unicodeScalars.count > 16 {
                problems.append("the soft descriptor is longer than 16 characters")
            }
            if intent != .authorizeWithCapture {
                problems.append("a soft descriptor is possible with the intent AuthorizeWithCapture only")
            }
        }
        if let amount, let totalOrderAmount, amount.currency != totalOrderAmount.currency {
            problems.append("the amounts are in two currencies")
        }
        return problems
    }
}

extension PaymentDetails: Encodable {
    private enum CodingKeys: String, CodingKey {
        case paymentIntent, chargeAmount, totalOrderAmount, softDescriptor, canHandlePendingAuthorization
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(intent, forKey: .paymentIntent)
        try members.encodeIfPresent(amount.map { Price($0) }, forKey: .chargeAmount)
        try members.encodeIfPresent(totalOrderAmount.map { Price($0) }, forKey: .totalOrderAmount)
        try members.encodeIfPresent(softDescriptor, forKey: .softDescriptor)
        try members.encode(canHandlePendingAuthorization, forKey: .canHandlePendingAuthorization)
    }
}
