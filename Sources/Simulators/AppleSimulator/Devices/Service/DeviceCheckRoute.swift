import Primitives
import SimulatorCore

/// A call of the service, by the name under which a fault hits it.
enum DeviceCheckOperation: String, Sendable, CaseIterable {
    case queryTwoBits
    case updateTwoBits
    case validateDeviceToken
    /// Of App Attest: a newer receipt for one.
    case attestationData

    /// The last word of its path.
    var pathName: String {
        switch self {
        case .queryTwoBits: "query_two_bits"
        case .updateTwoBits: "update_two_bits"
        case .validateDeviceToken: "validate_device_token"
        case .attestationData: "attestationData"
        }
    }
}

/// A store of its own: what one is told the other does not know.
enum DeviceEnvironment: String, Sendable, CaseIterable {
    /// Apps from the store, and those of testers.
    case production
    /// Apps that a developer has built.
    case development
}

/// A path of the service: its call, and its store.
struct DeviceCheckRoute: Sendable {
    let operation: DeviceCheckOperation
    let environment: DeviceEnvironment

    /// The call of a path; `nil` where there is none.
    init?(_ path: String) {
        let words = path.octets.parts(between: UInt8(ascii: "/")).dropFirst().map(\.octets)
        guard words.count == 3, words[1] == "v1",
            let environment = DeviceEnvironment.allCases.first(where: { $0.rawValue.octets == words[0] }),
            let operation = DeviceCheckOperation.allCases.first(where: { $0.pathName.octets == words[2] })
        else { return nil }
        (self.operation, self.environment) = (operation, environment)
    }
}
