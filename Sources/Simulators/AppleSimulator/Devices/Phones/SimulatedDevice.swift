import Primitives
import StrictJSON

/// A phone, whoever has it.
struct SimulatedDevice: Sendable {
    /// Counts from one.
    let number: Int
    /// For the tester.
    var name: String
    /// Whether apps on it get tokens.
    var isSupported = true

    init(number: Int, name: String) { (self.number, self.name) = (number, name) }
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
