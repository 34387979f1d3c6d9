import Primitives
import StrictJSON

/// The object that accompanies one buyer from the button to the end of the payment.
struct SimulatedSession: Sendable, Codable {
    /// What a merchant asks for of the buyer's data.
    enum Scope: String, Sendable, CaseIterable, Codable {
        case name, email, phoneNumber, billingAddress, postalCode, shippingAddress, primeStatus

        /// What is shared when a payload names nothing.
        static let standard: Set<Scope> = Set(allCases).subtracting([.billingAddress, .primeStatus])
    }

    enum ProductType: String, Sendable, Codable {
        case payAndShip = "PayAndShip"
        case payOnly = "PayOnly"
        /// To several addresses at once.
        case payAndShipMultiAddress = "PayAndShipMultiAddress"
    }

    /// What the buyer has chosen.
    struct Choice: Sendable, Codable {
        var buyer: TestBuyer
        /// `nil` where nothing is shipped or the merchant has the address.
        var address: PostalAddress?
        var card: TestCard
    }

    /// The bank's word, given at the processing page and kept until complete.
    struct Hold: Sendable, Equatable, Codable {
        enum Answer: Sendable, Equatable, Codable {
            case authorised
            /// The bank decides later, as `declines` says.
            case pending(declines: Bool)
        }
        let at: WallTime
        let answer: Answer
    }

    enum CancelReason: String, Sendable, CaseIterable, Codable {
        case buyerCanceled = "BuyerCanceled"
        case expired = "Expired"
        case amazonCanceled = "AmazonCanceled"
        case declined = "Declined"

        var description: String {
            switch self {
            case .buyerCanceled: "The buyer canceled the checkout."
            case .expired: "The checkout session was not completed within 24 hours."
            case .amazonCanceled: "Amazon canceled the checkout."
            case .declined: "The payment was declined."
            }
        }
    }

    /// `open` becomes `completed` by complete, or `canceled`; both are final.
    enum State: Sendable, Equatable, Codable {
        case open(Hold?)
        case completed(permissionID: String, chargeID: String?)
        case canceled(CancelReason)
    }

    let id: String
    let merchantID: String
    let environment: ReleaseEnvironment
    let createdAt: WallTime
    let terms: CheckoutTerms
    var urls: ReturnURLs
    var payment: PaymentDetails
    var metadata: MerchantMetadata
    var extras: SessionExtras
    var choice: Choice?
    /// Set by `enter`, which also notes the time.
    private(set) var state: State = .open(nil)
    private(set) var stateChangedAt: WallTime

    init(
        id: String,
        owner: (merchantID: String, environment: ReleaseEnvironment),
        at now: WallTime,
        draft: SessionDraft
    ) {
        self.id = id
        merchantID = owner.merchantID
        environment = owner.environment
        createdAt = now
        stateChangedAt = now
        terms = draft.terms
        urls = draft.urls
        payment = draft.payment
        metadata = draft.metadata
        extras = draft.extras
    }

    mutating func enter(_ state: State, at now: WallTime) {
        self.state = state
        stateChangedAt = now
    }

    /// Notes the bank's word; the session stays Open, so the time of its state stays too.
    mutating func hold(_ hold: Hold) {
        state = .open(hold)
    }

    /// The hold of an open session that has been through processing.
    var hold: Hold? {
        if case .open(let hold) = state { hold } else { nil }
    }

    var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// What is still missing before the buyer can be sent to the processing page.
    var constraints: [Constraint] {
        guard isOpen else { return [] }
        var missing: [Constraint] = []
        if choice == nil { missing.append(.buyerNotAssociated) }
        if payment.chargeAmount == nil, payment.intent != .confirm { missing.append(.chargeAmountNotSet) }
        if urls.result == nil { missing.append(.checkoutResultReturnURLNotSet) }
        if payment.intent == nil { missing.append(.paymentIntentNotSet) }
        if terms.permissionType == .recurring, extras.recurring?["frequency"] == nil {
            missing.append(.recurringFrequencyNotSet)
        }
        return missing
    }

    enum Constraint: String {
        case buyerNotAssociated = "BuyerNotAssociated"
        case chargeAmountNotSet = "ChargeAmountNotSet"
        case checkoutResultReturnURLNotSet = "CheckoutResultReturnUrlNotSet"
        case paymentIntentNotSet = "PaymentIntentNotSet"
        case recurringFrequencyNotSet = "RecurringFrequencyNotSet"

        var description: String {
            switch self {
            case .buyerNotAssociated:
                "There is no buyer associated with the Checkout Session. Return the checkout session id to the Amazon Pay Button "
                    + "to allow buyer to login."
            case .chargeAmountNotSet: "chargeAmount is not set."
            case .checkoutResultReturnURLNotSet: "checkoutResultReturnUrl is not set."
            case .paymentIntentNotSet: "paymentIntent is not set."
            case .recurringFrequencyNotSet: "recurringMetadata.frequency is not set."
            }
        }
    }
}
