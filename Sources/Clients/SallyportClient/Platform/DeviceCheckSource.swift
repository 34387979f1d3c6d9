// Where there is no UIKit, a module of that name is another one: that of the server.
#if canImport(UIKit) && canImport(DeviceCheck)
import DeviceCheck

/// Tokens of Apple's DeviceCheck.
public struct DeviceCheckSource: DeviceTokenSource {
    /// The one source of an app.
    public init() {}

    /// A token for one question.
    public func token() async -> DeviceToken {
        guard DCDevice.current.isSupported else { return .none(.unsupported) }
        guard let token = try? await DCDevice.current.generateToken() else { return .none(.failed) }
        return .token(token)
    }
}
#endif
