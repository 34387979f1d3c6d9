package import Cryptography
package import HTTPServer
package import Primitives
package import SimulatorCore

/// Providers of logins with their users, as a value.
///
/// It opens no socket and reads no clock: requests and the time come from `LoginSimulator`.
package struct LoginModel: Sendable {
    /// What a run begins with.
    package struct Configuration: Sendable {
        /// Scheme, host and port of its listener.
        package var baseURL = ""
        /// Who may ask for logins.
        package var clients: [SimulatedClient] = []
        /// What signs ID tokens at first; made for each run where there are none.
        var keys: ProviderKeys?
        /// Ids and tokens come from it.
        package var seed: [UInt8]
        /// Networks of other machines that may use the control interface.
        package var testers: [NetworkPrefix] = []
        /// Whether it may listen where other machines can reach it.
        package var allowsOthers = false

        /// A configuration without clients.
        package init(seed: [UInt8]) { self.seed = seed }
    }

    var configuration: Configuration
    /// The simulated calendar.
    package var clock = SimulatedClock()
    /// Faults that wait for their request.
    package var faults = FaultQueue()
    /// Requests that were answered.
    package var calls = CallLog<LoginEntry>()
    /// What a tester may come back to, by name.
    package var snapshots: [String: Snapshot] = [:]
    /// What the real clock showed when the present request came.
    package private(set) var realTime: WallTime
    /// What users, clients and testers have brought about.
    var state: State
    var mint: IdentifierMint
    /// The keys of a run, which a reset goes back to.
    private let firstKeys: ProviderKeys

    /// Everything that a snapshot goes back to.
    struct State: Sendable {
        var keys: ProviderKeys
        var grants = ProviderGrants()
        /// Users who are logged in at a provider, by the value of the browser's cookie.
        var sessions: [String: BrowserSession] = [:]
        /// Requests whose user looks at a page.
        var pending: [String: AuthorizationQuery] = [:]
        var flaws: [WaitingFlaw] = []
        /// What the next users do, without a page.
        var pilots: [Pilot] = []
        var switches = LoginSwitches()
    }

    /// Providers at which nobody has logged in.
    ///
    /// - Throws: `failed` where OpenSSL makes no keys.
    package init(_ configuration: Configuration, at real: WallTime) throws(CryptographyError) {
        self.configuration = configuration
        realTime = real
        mint = IdentifierMint(seed: configuration.seed, purpose: "login")
        firstKeys = if let keys = configuration.keys { keys } else { try ProviderKeys() }
        state = State(keys: firstKeys)
    }

    /// What a snapshot holds.
    package struct Snapshot: Sendable {
        fileprivate let now: WallTime
        fileprivate let state: State
        fileprivate let faults: FaultQueue
    }

    /// The simulated time.
    package var now: WallTime { clock.time(at: realTime) }

    /// Takes the time of the request that has come.
    package mutating func moveTo(_ real: WallTime) { realTime = real }

    /// Begins anew, but for ids.
    package mutating func reset() {
        (state, faults, snapshots) = (State(keys: firstKeys), FaultQueue(), [:])
        (clock, calls) = (SimulatedClock(), CallLog())
    }

    /// Users, keys, grants and faults of now.
    package func snapshot() -> Snapshot { Snapshot(now: now, state: state, faults: faults) }

    /// Goes back to a snapshot.
    package mutating func restore(_ snapshot: Snapshot) {
        (state, faults) = (snapshot.state, snapshot.faults)
        clock.set(to: snapshot.now, at: realTime)
    }

    func issuer(_ face: ProviderFace) -> String { configuration.baseURL + face.base }

    func client(_ id: String) -> SimulatedClient? { configuration.clients.first { $0.id.octets == id.octets } }

    /// The flaw that waits for an answer, which counts it down.
    mutating func takeFlaw(_ place: TokenFlaw.Place) -> TokenFlaw? {
        guard let index = state.flaws.firstIndex(where: { $0.place == place }) else { return nil }
        let flaw = state.flaws[index].flaw
        state.flaws[index].count -= 1
        if state.flaws[index].count <= 0 { state.flaws.remove(at: index) }
        return flaw
    }
}

/// A user in a browser.
struct BrowserSession: Sendable {
    let user: String
    let loggedInAt: Int64
}

/// What a user does without a page, so that a chain of curl logs in.
struct Pilot: Sendable {
    /// What the user presses.
    enum Action: String, Sendable, CaseIterable {
        case agree, decline, cancel
    }

    let user: String
    let action: Action
}

/// What a tester may have all providers do another way.
struct LoginSwitches: Sendable {
    /// Whether answers of the authorization endpoint name the provider.
    var namesIssuer = false
    /// Whether discovery documents announce S256.
    var announcesProofKey = false
    /// Whether a code that comes twice ends the tokens of its first use.
    var endsTokensOfTwice = false
}
