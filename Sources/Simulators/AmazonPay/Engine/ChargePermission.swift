import Primitives
import StrictJSON

/// The buyer's word that a merchant may charge.
struct ChargePermission: Sendable {
    enum CloseReason: String, Sendable {
        case merchantClosed = "MerchantClosed"
        case amazonClosed = "AmazonClosed"
        case expired = "Expired"
    }

    enum State: Sendable, Equatable {
        case chargeable
        /// A charge is not final yet.
        case chargeInProgress
        case closed(CloseReason)
    }

    let id: String
    /// The checkout session it came from.
    let sessionID: String
    let merchantID: String
    let environment: ReleaseEnvironment
    let type: CheckoutTerms.PermissionType
    let scopes: Set<CheckoutSession.Scope>
    let choice: CheckoutSession.Choice
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
    private(set) var state: State = .chargeable
    private(set) var stateChangedAt: WallTime

    init(
        id: String,
        from session: CheckoutSession,
        choice: CheckoutSession.Choice,
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
