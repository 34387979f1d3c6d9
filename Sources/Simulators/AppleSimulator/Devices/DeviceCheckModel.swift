package import Cryptography
package import HTTPServer
package import Primitives
package import SimulatorCore

/// The vendor's record of devices, its service, and devices with an app, as a value.
///
/// It opens no socket and reads no clock: requests and the time come from `DeviceCheckSimulator`.
package struct DeviceCheckModel: Sendable {
    /// What a run begins with.
    package struct Configuration: Sendable {
        /// Scheme, host and port of its listener.
        package var baseURL = ""
        /// The developer whose apps are on devices, unless a tester says otherwise.
        package var team = "SP4TESTDEV"
        /// The app on devices.
        package var bundleID = "com.example.sallyport"
        /// What verifiers of App Attest believe; made for each run where there are none.
        package var attestRoots: (attestations: IssuedCertificate, receipts: IssuedCertificate)?
        /// Keys of that developer, each with DeviceCheck.
        package var keys: [APIKey] = []
        /// Where apps on devices ask, unless a tester says otherwise.
        package var appServer = ""
        /// Ids and tokens come from it.
        package var seed: [UInt8]
        /// Networks of other machines that may use the control interface.
        package var testers: [NetworkPrefix] = []
        /// Whether it may listen where other machines can reach it.
        package var allowsOthers = false

        /// A configuration without keys.
        package init(seed: [UInt8]) { self.seed = seed }
    }

    var configuration: Configuration
    /// The simulated calendar.
    package var clock = SimulatedClock()
    /// Faults that wait for their request.
    package var faults = FaultQueue()
    /// Requests that were answered.
    package var calls = CallLog<DeviceCheckEntry>()
    /// What a tester may come back to, by name.
    package var snapshots: [String: Snapshot] = [:]
    /// What the real clock showed when the present request came.
    package private(set) var realTime: WallTime
    /// What developers, people and testers have brought about.
    var state: State
    /// Requests that wait for each other.
    var holds: [RequestHold] = []
    /// Requests that have waited for others so far.
    var heldRequests = 0
    var mint: IdentifierMint
    /// Who attests keys, once one was wanted.
    var attestAuthority: AppAttestAuthority?

    /// Everything that a snapshot goes back to.
    struct State: Sendable {
        var keys: [DeviceCheckKey]
        var devices: [SimulatedDevice] = []
        var bits: [TwoBitsKey: TwoBits] = [:]
        var tokens = DeviceTokens()
        var receipts = IssuedReceipts()
        var rules = DeviceCheckRules()
    }

    /// A record without devices.
    package init(_ configuration: Configuration, at real: WallTime) {
        self.configuration = configuration
        realTime = real
        mint = IdentifierMint(seed: configuration.seed, purpose: "devicecheck")
        state = Self.begin(configuration)
    }

    private static func begin(_ configuration: Configuration) -> State {
        State(keys: configuration.keys.map { DeviceCheckKey(key: $0, hasDeviceCheck: true) })
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
        (state, faults, snapshots, holds) = (Self.begin(configuration), FaultQueue(), [:], [])
        (clock, calls) = (SimulatedClock(), CallLog())
    }

    /// Devices, keys and faults of now.
    package func snapshot() -> Snapshot { Snapshot(now: now, state: state, faults: faults) }

    /// Goes back to a snapshot.
    package mutating func restore(_ snapshot: Snapshot) {
        (state, faults) = (snapshot.state, snapshot.faults)
        clock.set(to: snapshot.now, at: realTime)
    }
}
