import Primitives
package import StrictJSON

/// What was used of a purchase whose refund a customer wants, version 2; only with the customer's recorded consent.
package struct ConsumptionInformation: Sendable, Hashable {
    /// Whether the customer got what was bought.
    package enum Delivery: String, Sendable, Hashable, CaseIterable {
        /// Got it.
        case delivered = "DELIVERED"
        /// It did not work well.
        case qualityIssue = "UNDELIVERED_QUALITY_ISSUE"
        /// Got something else.
        case wrongItem = "UNDELIVERED_WRONG_ITEM"
        /// Our server was down.
        case serverOutage = "UNDELIVERED_SERVER_OUTAGE"
        /// Another reason.
        case other = "UNDELIVERED_OTHER"
    }

    /// What we would like Apple to do.
    package enum Preference: String, Sendable, Hashable, CaseIterable {
        /// Refund all of it.
        case grantFull = "GRANT_FULL"
        /// Refund what was not used.
        case grantProrated = "GRANT_PRORATED"
        /// Refund nothing.
        case decline = "DECLINE"
    }

    /// Why information would be refused.
    package enum Fault: String, Error, Sendable, Hashable, CaseIterable {
        /// Without consent nothing is sent.
        case noConsent = "no_consent"
        /// More than all, or less than nothing.
        case percentage
        /// What was not delivered cannot be used.
        case undeliveredButUsed = "undelivered_but_used"
        /// A part is refunded where a part was used, not nothing and not all.
        case proratedWithoutPart = "prorated_without_part"
        /// A subscription has no percentage: Apple knows its time.
        case percentageOfSubscription = "percentage_of_subscription"
    }

    /// A percentage of everything: thousandths of a percent.
    package static let whole = 100_000

    /// Whether a sample was offered before the purchase.
    package let isSampleProvided: Bool
    /// Whether the customer got what was bought.
    package let delivery: Delivery
    /// How much was used, in thousandths of a percent.
    package let percentage: Int?
    /// What we would like Apple to do.
    package let preference: Preference?

    /// Checks information against the rules.
    ///
    /// - Parameter type: Of the product.
    /// - Throws: The first rule that is broken.
    package init(
        of type: TransactionType,
        isConsented: Bool,
        isSampleProvided: Bool,
        delivery: Delivery,
        percentage: Int?,
        preference: Preference?
    ) throws(Fault) {
        guard isConsented else { throw .noConsent }
        if let percentage {
            guard type != .autoRenewable else { throw .percentageOfSubscription }
            guard (0...ConsumptionInformation.whole).contains(percentage) else { throw .percentage }
            guard delivery == .delivered || percentage == 0 else { throw .undeliveredButUsed }
        }
        if preference == .grantProrated, type != .autoRenewable {
            guard let percentage, (1..<ConsumptionInformation.whole).contains(percentage) else {
                throw .proratedWithoutPart
            }
        }
        self.isSampleProvided = isSampleProvided
        self.delivery = delivery
        self.percentage = percentage
        self.preference = preference
    }

    /// The part of granted units that was spent, rounded down, in thousandths of a percent.
    ///
    /// - Returns: 0 where nothing was granted.
    package static func percentage(spent: Int64, ofGranted granted: Int64) -> Int {
        guard granted > 0, spent > 0 else { return 0 }
        guard spent < granted else { return whole }
        return Int(granted.dividingFullWidth(spent.multipliedFullWidth(by: Int64(whole))).quotient)
    }

    /// The body of the request.
    package var json: JSONValue {
        var members = [
            JSONMember("customerConsented", true),
            JSONMember("sampleContentProvided", .bool(isSampleProvided)),
            JSONMember("deliveryStatus", .string(delivery.rawValue)),
        ]
        if let percentage { members.append(JSONMember("consumptionPercentage", JSONValue(percentage))) }
        if let preference { members.append(JSONMember("refundPreference", .string(preference.rawValue))) }
        return .object(members)
    }
}
