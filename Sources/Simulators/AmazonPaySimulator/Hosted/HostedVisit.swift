import SimulatorCore

/// One browser on the hosted pages, from the button or from a link until it leaves again.
struct HostedVisit: Sendable {
    enum ChangeAction: String, Sendable {
        case address = "changeAddress"
        case payment = "changePayment"
    }

    enum Purpose: Sendable {
        /// From the button: a session is made at the end.
        case checkout(SessionDraft)
        /// From a change button of the review page: back to the review page.
        case change(sessionID: String, ChangeAction)
        /// At the processing page: on to the result page.
        case process(sessionID: String)
        /// From a button that only signs in: no session is made.
        case signIn(SignInDraft)
    }

    enum Place: String, Sendable {
        case signIn = "/ap/signin"
        case code = "/ap/mfa"
        case consent = "/ap/consent"
        case select = "/ap/select"
        case bank = "/ap/3ds"
        case processing = "/checkout/processing"

        /// The order of the questions; what comes after them is one step.
        var rank: Int {
            switch self {
            case .signIn: 0
            case .code: 1
            case .consent: 2
            case .select, .bank, .processing: 3
            }
        }
    }

    /// What the cookie holds.
    let id: String
    let caller: Caller
    let language: HostedLanguage
    var purpose: Purpose
    var buyer: TestBuyer?
    var isCodePassed = false
    var isBankPassed = false
    /// The session that this visit made or came with.
    var sessionID: String?
    var autopilot: NextBuyer?

    /// Whether the buyer has signed in and is past the one-time code.
    var isSignedIn: Bool { buyer != nil && isCodePassed }
}

/// A buyer who answers the hosted pages by itself.
struct NextBuyer: Sendable, Equatable {
    enum Question: String, Sendable, CaseIterable {
        case consent
        case code = "mfa"
        case bank = "3ds"
    }

    /// `nil` takes the first buyer.
    var email: String?
    /// `nil` takes the first address that is allowed.
    var addressID: String?
    /// `nil` takes the first card.
    var cardID: String?
    /// Questions beyond sign-in and choice that are answered; at any other one the browser stops.
    var answers = Set(Question.allCases)
    /// For how many visits.
    var count = 1
}

/// Where a visit is going when it comes past the first host on its way back.
struct Departure: Sendable {
    /// A URL that the merchant has signed.
    let url: String
    let language: HostedLanguage
}

/// The visits of the hosted pages, and the buyers that will answer by themselves.
struct HostedPageState: Sendable {
    static let visitCapacity = 20_000
    static let nextBuyerCapacity = 1000

    var mint: IdentifierMint
    private var visits: [String: HostedVisit] = [:]
    private var order = FIFOEviction(capacity: visitCapacity)
    private(set) var nextBuyers: [NextBuyer] = []
    /// Where visits on their way back over the first host are going.
    private var departures: [String: Departure] = [:]
    private var departureOrder = FIFOEviction(capacity: visitCapacity)
    /// Which buyer has agreed to share data with which merchant.
    private var consents: Set<String> = []

    init(mint: IdentifierMint) {
        self.mint = mint
    }

    /// Opens a visit, which takes the next buyer that waits.
    mutating func open(_ caller: Caller, _ language: HostedLanguage, _ purpose: HostedVisit.Purpose) -> HostedVisit {
        let autopilot = takeNextBuyer()
        let visit = HostedVisit(
            id: mint.token(),
            caller: caller,
            language: language,
            purpose: purpose,
            autopilot: autopilot
        )
        if let oldest = order.add(visit.id) { visits[oldest] = nil }
        visits[visit.id] = visit
        return visit
    }

    func visit(_ id: String?) -> HostedVisit? {
        id.flatMap { visits[$0] }
    }

    mutating func keep(_ visit: HostedVisit) {
        visits[visit.id] = visit
    }

    /// Keeps where a visit is going.
    ///
    /// - Returns: The name under which `departure` has it.
    mutating func depart(_ departure: Departure) -> String {
        let name = mint.token()
        if let oldest = departureOrder.add(name) { departures[oldest] = nil }
        departures[name] = departure
        return name
    }

    func departure(_ name: String?) -> Departure? {
        name.flatMap { departures[$0] }
    }

    mutating func add(_ buyer: NextBuyer) {
        guard nextBuyers.count < HostedPageState.nextBuyerCapacity else { return }
        nextBuyers.append(buyer)
    }

    mutating func takeNextBuyer() -> NextBuyer? {
        guard let first = nextBuyers.first else { return nil }
        nextBuyers[0].count -= 1
        if nextBuyers[0].count <= 0 { nextBuyers.removeFirst() }
        return first
    }

    func hasConsented(_ buyer: TestBuyer, to merchant: Merchant) -> Bool {
        consents.contains(buyer.id + " " + merchant.id)
    }

    mutating func consent(_ buyer: TestBuyer, to merchant: Merchant) {
        consents.insert(buyer.id + " " + merchant.id)
    }
}
