import Foundation

/// Where tokens of the device come from: DeviceCheck on a phone.
public protocol DeviceTokenSource: Sendable {
    /// A token that nobody has shown yet, or why there is none.
    func token() async -> DeviceToken
}

/// A token of the device, which is shown once.
public enum DeviceToken: Sendable {
    /// What the system has made, for one question.
    case token(Data)
    /// There is none.
    case none(DeviceTokenAbsence)
}

extension DeviceToken: CustomStringConvertible, CustomDebugStringConvertible {
    /// Without the token.
    public var description: String {
        switch self {
        case .token: "a token of the device"
        case .none(let absence): absence.rawValue
        }
    }
    /// Without the token.
    public var debugDescription: String { description }
}

/// Why a device has no token.
public enum DeviceTokenAbsence: String, Sendable {
    /// The system makes none: a simulator, an extension of an app, some Macs.
    case unsupported = "not_supported"
    /// None could be made now: Apple was not reached.
    case failed = "generation_failed"
}

/// What the server has decided about a device.
public struct DeviceDecision: Sendable, Hashable, Decodable {
    /// What came of it.
    public enum Outcome: String, Sendable, Decodable {
        /// The account gets it, or has it.
        case allow
        /// Not on this device, or not again for this account.
        case deny
        /// Nobody can tell now.
        case unknown
    }

    /// What came of it.
    public let decision: Outcome
    /// The server's word for why, for a text of the app's own.
    public let reason: String
    /// What is known of the device, as the server names it; `nil` where nothing is.
    public let state: String?
    /// The month in which that was noted, `YYYY-MM`; `nil` where none was.
    public let lastUpdate: String?
    /// Of what the account has been given, now or before; `nil` where it has nothing.
    public let claimId: String?

    /// Whether the account has what was claimed, from now on or since before.
    public var hasIt: Bool { claimId != nil }
}
