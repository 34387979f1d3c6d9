import HTTPCore
import ServiceAPI
import StrictJSON
import Web

extension FailureCode {
    /// A text that is no device token.
    static let deviceTokenMalformed = FailureCode(
        "device_token_malformed",
        .badRequest,
        "deviceToken is not what DCDevice gives, in Base64 with padding and nothing else."
    )
    /// A token that was shown before.
    static let deviceTokenUsed = FailureCode(
        "device_token_used",
        .conflict,
        "This device token was used. Make a new one for each request; only a claim or mark with the checkId of a check takes the same."
    )
    /// A token that Apple does not take.
    static let deviceTokenRefused = FailureCode(
        "device_token_refused",
        .unprocessable,
        "Apple does not take this device token. Make a new one and try again; where that is refused, too, see the environment."
    )
    /// A purpose without a policy.
    static let devicePurposeUnknown = FailureCode(
        "device_purpose_unknown",
        .badRequest,
        "There is no policy for this purpose."
    )
    /// An event that stands for no mark.
    static let deviceEventUnknown = FailureCode(
        "device_event_unknown",
        .badRequest,
        "No mark stands for this event."
    )
    /// Nothing can be said of the device now.
    static let deviceCheckUnavailable = FailureCode(
        "device_check_unavailable",
        .serviceUnavailable,
        "Nothing can be said of the device now. Try again later, with a new device token.",
        retryAfter: 30
    )
    /// Another request of the account talks to Apple.
    static let deviceCheckBusy = FailureCode(
        "device_check_busy",
        .serviceUnavailable,
        "Another request of the account is being carried out. Repeat this one; the device token was not used.",
        retryAfter: 2
    )

    static let ofDevices = [
        deviceTokenMalformed, deviceTokenUsed, deviceTokenRefused, devicePurposeUnknown, deviceEventUnknown,
        deviceCheckUnavailable, deviceCheckBusy, deviceResetCodeWrong, deviceBlocked, deviceReleasedLately,
    ]
}

/// What a problem says beside the rest to an app whose token was refused.
struct NewTokenContext: ProblemContext {
    var members: [JSONMember] { [JSONMember("newToken", true)] }
}
