import SimulatorCore
import StrictJSON

/// What a tester may change while the simulator runs.
package struct SimulatorSwitches: Sendable, Equatable {
    /// How strictly request signatures are checked.
    package enum SignatureMode: String, Sendable {
        /// The five mandatory fields and the idempotency key must be signed.
        case strict
        /// Whatever the list of signed fields says.
        case documented
        /// Not at all: for beginners with curl; every answer carries a warning.
        case off
    }

    /// How the hosted pages send the browser back.
    package enum Redirect: String, Sendable {
        /// 303 with a Location.
        case http
        /// A page that refreshes itself, with a link.
        case meta
        /// A page whose script follows its link.
        case script
        /// A page with a link to tap, as Universal Links need.
        case tap
    }

    /// Whose limits calls count against.
    package enum Quota: String, Sendable {
        /// Those of real accounts.
        case live
        /// Those of test accounts, far narrower.
        case sandbox
        /// Nobody's.
        case unlimited = "none"
    }

    /// What an idempotency key stands for.
    package enum IdempotencyScope: String, Sendable {
        /// One request of the account, as the vendor's text has it.
        case account
        /// One request of an operation: the vendor's own test suite sends one key with several.
        case operation
    }

    /// How strictly request signatures are checked.
    package var signature: SignatureMode = .strict
    /// Whose limits calls count against, whatever key they are signed with.
    package var quota: Quota = .unlimited
    /// What an idempotency key stands for.
    package var idempotencyScope: IdempotencyScope = .account
    /// How the hosted pages send the browser back.
    package var redirect: Redirect = .http
    /// Whether buyers are sent on to a second host and come back over the first.
    package var usesSecondHost = false
    /// Whether the result URL comes without the id, as merchants have observed.
    package var omitResultID = false
    /// Whether the id is appended to the cancel URL.
    package var appendCancelID = false
    /// Whether every sign-in asks for a one-time code.
    package var askCode = false
    /// Whether the bank asks for a code at the processing page.
    package var askBank = false
    /// How long the money of a refund is on its way.
    package var refundDelay: Duration = EngineRules.refundDelay
    /// How long the bank takes over a pending authorisation.
    package var bankDelay: Duration = EngineRules.bankDelay

    /// Strict signatures, no limits, everything else off.
    package init() {}

    var json: JSONValue {
        [
            "signature": .string(signature.rawValue), "quota": .string(quota.rawValue),
            "idempotencyScope": .string(idempotencyScope.rawValue), "redirect": .string(redirect.rawValue),
            "secondHost": .bool(usesSecondHost), "omitResultId": .bool(omitResultID),
            "appendCancelId": .bool(appendCancelID), "askMfa": .bool(askCode), "ask3ds": .bool(askBank),
            "refundDelay": .string("PT\(refundDelay.components.seconds)S"),
            "bankDelay": .string("PT\(bankDelay.components.seconds)S"),
        ]
    }

    static let members: [Shape.Member] = [
        .init("signature", .oneOf(["strict", "documented", "off"])),
        .init("quota", .oneOf(["live", "sandbox", "none"])),
        .init("idempotencyScope", .oneOf(["account", "operation"])),
        .init("redirect", .oneOf(["http", "meta", "script", "tap"])), .init("secondHost", .flag),
        .init("omitResultId", .flag),
        .init("appendCancelId", .flag), .init("askMfa", .flag), .init("ask3ds", .flag),
        .init("refundDelay", .text(40)), .init("bankDelay", .text(40)),
    ]

    /// Takes over what a checked body names.
    mutating func apply(_ body: JSONValue) {
        signature = body["signature"]?.text.flatMap(SignatureMode.init) ?? signature
        quota = body["quota"]?.text.flatMap(Quota.init) ?? quota
        idempotencyScope =
            body["idempotencyScope"]?.text.flatMap(IdempotencyScope.init) ?? idempotencyScope
        redirect = body["redirect"]?.text.flatMap(Redirect.init) ?? redirect
        usesSecondHost = body["secondHost"]?.flag ?? usesSecondHost
        omitResultID = body["omitResultId"]?.flag ?? omitResultID
        appendCancelID = body["appendCancelId"]?.flag ?? appendCancelID
        askCode = body["askMfa"]?.flag ?? askCode
        askBank = body["ask3ds"]?.flag ?? askBank
        refundDelay = body["refundDelay"]?.text.flatMap(ISO8601.duration) ?? refundDelay
        bankDelay = body["bankDelay"]?.text.flatMap(ISO8601.duration) ?? bankDelay
    }
}
