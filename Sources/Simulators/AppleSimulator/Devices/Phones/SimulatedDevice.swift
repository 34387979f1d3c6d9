import Primitives
import StrictJSON

/// A phone, whoever has it.
struct SimulatedDevice: Sendable {
    /// Counts from one.
    let number: Int
    /// For the tester.
    var name: String
    /// Who has it now.
    var owner: String
    /// Whether apps on it get tokens.
    var isSupported = true
    /// `nil` where the app is not installed.
    var app: InstalledApp?
    /// When keys of the app were attested on it, by environment; erasing the phone changes nothing of it.
    private(set) var attestations: [DeviceEnvironment: [WallTime]] = [:]
    /// What the vendor says of how many there were, in the place of the truth; `nil` for that.
    var riskMetric: Int?
    /// What has happened to it of late.
    private(set) var story: [String] = []

    private static let storyLimit = 20

    init(number: Int, name: String, owner: String) {
        (self.number, self.name, self.owner) = (number, name, owner)
    }

    /// For how long the vendor remembers an attestation.
    private static let memory = Duration.seconds(30 * 86_400)

    /// Counts a key that was attested.
    mutating func noteAttestation(in environment: DeviceEnvironment, at now: WallTime) {
        let kept = attestations[environment, default: []].filter { now < $0 + Self.memory }
        attestations[environment] = kept.suffix(9_999) + [now]
    }

    /// What the vendor says of how many keys the device has had attested; `nil` where it knows nothing any more.
    func risk(in environment: DeviceEnvironment, at now: WallTime) -> Int? {
        let count = attestations[environment, default: []].count { now < $0 + Self.memory }
        return riskMetric ?? (count > 0 ? count : nil)
    }

    mutating func note(_ line: String) {
        story.append(line)
        if story.count > Self.storyLimit { story.removeFirst() }
    }
}

/// The developer's app on a phone; it is gone where the phone is erased.
struct InstalledApp: Sendable {
    /// How it is signed.
    let environment: DeviceEnvironment
    /// The name of the account, for the tester.
    var account = ""
    /// `nil` where nobody is signed in.
    var session: DeviceApp?
    /// Of App Attest, oldest first.
    var keys: [SimulatedAttestKey] = []
    /// The content of the latest answer of the developer's server.
    var answer: JSONValue?
}

/// The two bits of a device.
struct TwoBits: Sendable, Equatable {
    var bit0 = false
    var bit1 = false
    /// Of the last update, as `2026-11`.
    var month: String

    var json: JSONValue { ["bit0": .bool(bit0), "bit1": .bool(bit1), "last_update_time": .string(month)] }
}

/// Whose bits they are: all apps of a team share those of a device.
struct TwoBitsKey: Hashable, Sendable {
    let device: Int
    let team: OctetText
    let environment: DeviceEnvironment
}
