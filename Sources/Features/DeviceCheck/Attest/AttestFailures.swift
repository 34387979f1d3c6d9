import DeviceAttestation
import HTTPCore
import ServiceAPI
import StrictJSON
import Web

extension FailureCode {
    /// A challenge that cannot be used, for a key or for a request.
    static let attestChallengeGone = FailureCode(
        "attest_challenge_gone",
        .conflict,
        "The challenge is unknown, was used, or has ended. Ask for another one, and sign again."
    )
    /// An attestation that is not believed.
    static let attestationRefused = FailureCode(
        "attestation_refused",
        .unprocessable,
        "The attestation of the key is not believed. Make another key and have it attested for a new challenge."
    )
    /// A key that is another account's.
    static let attestKeyTaken = FailureCode(
        "attest_key_taken",
        .conflict,
        "The key is another account's. Make another key for this one."
    )
    /// A request without an assertion.
    static let assertionRequired = FailureCode(
        "assertion_required",
        .forbidden,
        "This request needs an assertion: send App-Attest-Assertion once, with id of the key, challenge and assertion."
    )
    /// A key that the account does not have.
    static let attestKeyUnknown = FailureCode(
        "attest_key_unknown",
        .forbidden,
        "The account has no such key. Have it attested first, or make another one where the device has lost it."
    )
    /// An assertion that is not believed.
    static let assertionRefused = FailureCode(
        "assertion_refused",
        .forbidden,
        "The assertion is not believed: it has to be made by the key, for this request and this challenge."
    )
    /// An assertion that another one has overtaken.
    static let assertionOvertaken = FailureCode(
        "assertion_overtaken",
        .conflict,
        "Another assertion of the key came first. Ask for another challenge, and sign again."
    )

    static let ofAttest = [
        attestChallengeGone, attestationRefused, attestKeyTaken, assertionRequired, attestKeyUnknown, assertionRefused,
        assertionOvertaken,
    ]

    /// What a guarded route refuses with.
    static let ofAssertions = [
        assertionRequired, attestKeyUnknown, assertionRefused, attestChallengeGone, assertionOvertaken,
    ]
}

/// What a problem says beside the rest: at which step of the judgement it was refused.
struct AttestStepContext: ProblemContext {
    let step: AttestRefusal

    var members: [JSONMember] { [JSONMember("step", .string(step.rawValue))] }
}

extension Failure {
    /// A refusal that names its step.
    init(_ code: FailureCode, at step: AttestRefusal) {
        self.init(
            code,
            step.rawValue,
            message: code.message + " The step that fails is `\(step.rawValue)`.",
            context: AttestStepContext(step: step)
        )
    }
}
