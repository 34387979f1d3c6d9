package import Cryptography
package import HTTPServer
package import Primitives
package import SimulatorCore
import StrictJSON

/// The store, its API and its devices as a value.
///
/// It opens no socket and reads no clock: requests and the time come from `AppStoreSimulator`, which sends the notifications.
package struct AppStoreModel: Sendable {
    /// What a run begins with.
    package struct Configuration: Sendable {
        /// Scheme, host and port of its listener.
        package var baseURL = ""
        /// Of the app that is sold in.
        package var bundleID = "com.example.sallyport"
        /// The number of the app.
        package var appAppleID = 6_400_000_001
        /// Keys that tokens of requests are signed with.
        package var keys: [APIKey] = []
        /// What verifiers believe.
        package var root: IssuedCertificate
        /// Where notifications go, by environment.
        package var notificationURLs: [StoreEnvironment: String] = [:]
        /// Where apps on devices hand purchases in, unless a tester says otherwise.
        package var appServer = ""
        /// Ids come from it.
        package var seed: [UInt8]
        /// Networks of other machines that may use the control interface.
        package var testers: [NetworkPrefix] = []
        /// Whether it may listen where other machines can reach it.
        package var allowsOthers = false

        /// A configuration without keys.
        package init(root: IssuedCertificate, seed: [UInt8]) {
            (self.root, self.seed) = (root, seed)
        }
    }

    var configuration: Configuration
    /// The simulated calendar.
    package var clock = SimulatedClock()
    /// Faults that wait for their request.
    package var faults = FaultQueue()
    /// Requests that were answered.
    package var calls = CallLog<APIEntry>()
    /// What a tester may come back to, by name.
    package var snapshots: [String: Snapshot] = [:]
    /// What the real clock showed when the present request came.
    package private(set) var realTime: WallTime
    /// What customers and testers have brought about.
    var state = State()
    var mint: IdentifierMint
    private var madeAuthority: AppStoreAuthority?
    private var madeXcodeSigner: AppStoreAuthority.Signer?

    /// Everything that a snapshot goes back to.
    struct State: Sendable {
        var stores = Dictionary(uniqueKeysWithValues: StoreEnvironment.allCases.map { ($0, Store($0)) })
        var switches = TextSwitches()
        var outbox = NotificationOutbox()
        var rates = RateLimits()
        var revocation = RevocationService()
        /// Apps that are signed in, by device.
        var apps: [OctetText: DeviceApp] = [:]
        var idsOfXcode = 0
    }

    /// A store without purchases.
    package init(_ configuration: Configuration, at real: WallTime) {
        self.configuration = configuration
        realTime = real
        mint = IdentifierMint(seed: configuration.seed, purpose: "app-store")
        state.outbox.urls = configuration.notificationURLs
    }

    /// What a snapshot holds.
    package struct Snapshot: Sendable {
        fileprivate let now: WallTime
        fileprivate let state: State
        fileprivate let faults: FaultQueue
    }

    // MARK: Signing

    /// The authority, whose leaf is valid now.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    mutating func authority() throws(CryptographyError) -> AppStoreAuthority {
        let time = now
        if let made = madeAuthority, time < made.signer.notAfter { return made }
        let responder = configuration.baseURL.isEmpty ? "" : configuration.baseURL + "/ocsp"
        let made = try AppStoreAuthority(root: configuration.root, responderURL: responder, now: time)
        madeAuthority = made
        return made
    }

    /// Replaces certificates of the authority.
    mutating func rotate(intermediate: Bool) throws(CryptographyError) {
        var authority = try authority()
        if intermediate { try authority.rotateIntermediate(now: now) } else { try authority.rotateLeaf(now: now) }
        madeAuthority = authority
    }

    /// Who signs at present.
    private mutating func signer(
        in environment: StoreEnvironment,
        with flaw: AppStoreAuthority.Flaw?
    ) throws(CryptographyError) -> AppStoreAuthority.Signer {
        if environment == .xcode {
            if let made = madeXcodeSigner, now < made.notAfter { return made }
            let made = try AppStoreAuthority.xcodeSigner(now: now)
            madeXcodeSigner = made
            return made
        }
        guard let flaw = flaw ?? state.switches.flaw else { return try authority().signer }
        return try authority().signer(with: flaw, now: now)
    }

    /// Signs a payload as it is to be sent at present.
    ///
    /// - Parameter flaw: Of this text; `nil` for the one that a tester wants of all.
    /// - Throws: `failed` where OpenSSL refuses.
    mutating func sign(
        _ payload: [JSONMember],
        in environment: StoreEnvironment,
        with flaw: AppStoreAuthority.Flaw? = nil
    ) throws(CryptographyError) -> String {
        let altered = state.switches.alter(.object(payload))
        let signer = try signer(in: environment, with: flaw)
        let keyID = environment == .xcode ? "Apple_Xcode_Key" : nil
        let text = try SignedText.make(altered, by: signer, keyID: keyID)
        return state.switches.spoilsSignatures ? SignedText.spoil(text) : text
    }

    /// The text of a transaction, signed now.
    ///
    /// - Parameter device: Whether it is as the app gets it from its device.
    mutating func text(
        of purchase: Purchase,
        device: Bool = false,
        with flaw: AppStoreAuthority.Flaw? = nil
    ) throws(CryptographyError) -> String {
        guard let customer = state.stores[purchase.environment]?.customer(named: purchase.customer) else {
            throw CryptographyError(.failed, "a purchase without a customer")
        }
        let mark = device ? mark(for: customer) : nil
        let payload = purchase.payload(
            bundle: configuration.bundleID,
            customer: customer,
            signedAt: now,
            mark: mark
        )
        return try sign(payload, in: purchase.environment, with: flaw)
    }

    /// The text that says that a customer has the app.
    mutating func appTransaction(
        of customer: StoreCustomer,
        in environment: StoreEnvironment,
        device: Bool = false
    ) throws(CryptographyError) -> String {
        let payload = customer.payload(
            app: (configuration.bundleID, configuration.appAppleID),
            environment: environment,
            signedAt: now,
            mark: device ? mark(for: customer) : nil
        )
        return try sign(payload, in: environment)
    }

    private mutating func mark(for customer: StoreCustomer) -> DeviceMark {
        DeviceMark(nonce: mint.uuid(), deviceID: customer.deviceID)
    }

    // MARK: Control

    /// The simulated time.
    package var now: WallTime { clock.time(at: realTime) }

    /// Takes the time of the request that has come.
    package mutating func moveTo(_ real: WallTime) { realTime = real }

    /// Begins anew, but for ids and the authority.
    package mutating func reset() {
        (state, faults, snapshots) = (State(), FaultQueue(), [:])
        (clock, calls) = (SimulatedClock(), CallLog())
        state.outbox.urls = configuration.notificationURLs
    }

    /// Purchases, switches and faults of now.
    package func snapshot() -> Snapshot { Snapshot(now: now, state: state, faults: faults) }

    /// Goes back to a snapshot.
    package mutating func restore(_ snapshot: Snapshot) {
        (state, faults) = (snapshot.state, snapshot.faults)
        clock.set(to: snapshot.now, at: realTime)
    }
}
