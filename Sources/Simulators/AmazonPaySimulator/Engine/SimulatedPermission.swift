import Primitives
import StrictJSON

/// The buyer's word that a merchant may charge.
struct SimulatedPermission: Sendable, Codable {
    /// Why nothing can be charged for the time being; several at once where they come together.
    enum Obstacle: String, Sendable, CaseIterable, Codable {
        case paymentMethodInvalid = "PaymentMethodInvalid"
        case paymentMethodDeleted = "PaymentMethodDeleted"
        case billingAddressDeleted = "BillingAddressDeleted"
        case paymentMethodExpired = "PaymentMethodExpired"
        case paymentMethodNotAllowed = "PaymentMethodNotAllowed"
        case paymentMethodNotSet = "PaymentMethodNotSet"
        /// A charge is not final yet; comes and goes with the charges.
        case chargeInProgress = "ChargeInProgress"
        case mfaFailed = "MFAFailed"
    }

    enum CloseReason: String, Sendable, CaseIterable, Codable {
        case merchantClosed = "MerchantClosed"
        case merchantCanceled = "MerchantCanceled"
        case buyerClosed = "BuyerClosed"
        case buyerCanceled = "BuyerCanceled"
        case amazonClosed = "AmazonClosed"
        case amazonCanceled = "AmazonCanceled"
        case expired = "Expired"
    }

    enum State: Sendable, Equatable, Codable {
        case chargeable
        /// One obstacle or more.
        case nonChargeable(Set<Obstacle>)
        case closed(CloseReason)

        var name: String {
            switch self {
            case .chargeable: "Chargeable"
            case .nonChargeable: "NonChargeable"
            case .closed: "Closed"
            }
        }
    }

    let id: String
    /// The checkout session it came from.
    let sessionID: String
    let merchantID: String
    let environment: ReleaseEnvironment
    let type: CheckoutTerms.PermissionType
    let scopes: Set<SimulatedSession.Scope>
    let choice: SimulatedSession.Choice
    /// `nil` where the session named no amount.
    let limit: Price?
    let currency: Currency
    let allowsOvercharge: Bool
    let createdAt: WallTime
    let expiresAt: WallTime
    let extras: SessionExtras
    let paymentMethodOnFile: JSONValue?
    var metadata: MerchantMetadata
    var chargeIDs: [String] = []
    /// Obstacles that are not the work of charges: they stay until somebody takes them away.
    var obstacles: Set<Obstacle> = []
    private(set) var state: State = .chargeable
    private(set) var stateChangedAt: WallTime

    init(
        id: String,
        from session: SimulatedSession,
        choice: SimulatedSession.Choice,
        terms: (currency: Currency, life: Duration),
        at now: WallTime
    ) {
        self.id = id
        sessionID = session.id
        merchantID = session.merchantID
        environment = session.environment
        type = session.terms.permissionType
        scopes = session.terms.scopes
        self.choice = choice
        limit = session.payment.totalOrderAmount ?? session.payment.chargeAmount
        currency = terms.currency
        allowsOvercharge = session.payment.allowOvercharge ?? false
        createdAt = now
        expiresAt = now + terms.life
        extras = session.extras
        paymentMethodOnFile = session.terms.paymentMethodOnFile
        metadata = session.metadata
        stateChangedAt = now
    }

    mutating func enter(_ state: State, at now: WallTime) {
        guard state != self.state else { return }
        self.state = state
        stateChangedAt = now
    }

    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }
}
