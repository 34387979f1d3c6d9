import DeviceAttestation
import HTTPCore
import Primitives
import ServiceAPI
import StrictJSON
import Web

extension RouteDescription.Group {
    static let devices = RouteDescription.Group("devices", "the two bits that Apple keeps of each device")
}

// What is known of the routes for apps, each for the account of its token.
extension RouteDescription {
    static let checkDevice = RouteDescription(
        .post,
        "/app/v1/devices/check",
        "checkDevice",
        .devices,
        .devices,
        "decide whether a purpose is open to the device; gives nothing",
        check
    )

    static let markDevice = RouteDescription(
        .post,
        "/app/v1/devices/mark",
        "markDevice",
        .devices,
        .devices,
        "raise the device to the state of an event; never lowers it",
        mark
    )

    static let claimForDevice = RouteDescription(
        .post,
        "/app/v1/devices/claim",
        "claimForDevice",
        .devices,
        .devices,
        "decide on a purpose, mark the device and give it, in this order; may be repeated with a new token",
        claim
    )

    static let validateDevice = RouteDescription(
        .post,
        "/app/v1/devices/validate",
        "validateDevice",
        .devices,
        .devices,
        "ask Apple whether a token is of a real device and an app of the team",
        validation
    )
}

// What is known of the routes for the merchant's programs.
extension RouteDescription {
    static let checkAccountDevice = RouteDescription(
        .post,
        "/v1/devices/accounts/{id}/check",
        "checkAccountDevice",
        .devices,
        .devicesWrite,
        "decide whether a purpose is open to a device of an account; gives nothing",
        check
    )

    static let markAccountDevice = RouteDescription(
        .post,
        "/v1/devices/accounts/{id}/mark",
        "markAccountDevice",
        .devices,
        .devicesWrite,
        "raise a device of an account to the state of an event; without a token at the account's next visit",
        mark
    )

    static let claimForAccountDevice = RouteDescription(
        .post,
        "/v1/devices/accounts/{id}/claim",
        "claimForAccountDevice",
        .devices,
        .devicesWrite,
        "decide on a purpose, mark the device and give it to an account, in this order; may be repeated with a new token",
        claim
    )

    static let validateAccountDevice = RouteDescription(
        .post,
        "/v1/devices/accounts/{id}/validate",
        "validateAccountDevice",
        .devices,
        .devicesWrite,
        "ask Apple whether a token of an account is of a real device and an app of the team",
        validation
    )

    static let listDeviceHistory = RouteDescription(
        .get,
        "/v1/devices/accounts/{id}/history",
        "listDeviceHistory",
        .devices,
        .devicesRead,
        "list what was asked and decided for an account, the newest first",
        ListForm.shape(
            .deviceHistory,
            of: .named(.deviceHistoryRow),
            after: .matching(SchemaPattern.uuid),
            length: 36...36
        )
    )
}

// What goes in and comes out.
extension RouteDescription {
    private static var check: Shape {
        shape(
            Shape(.ok, .named(.deviceCheck), .deviceCheck),
            [.required("purpose", .matching(name), "as the policies name it")] + proof,
            #"{"purpose":"free-trial","deviceToken":"\#(token)"}"#,
            [.devicePurposeUnknown]
        )
    }

    private static var claim: Shape {
        shape(
            Shape(.ok, .named(.deviceClaim), .deviceClaim),
            [.required("purpose", .matching(name), "as the policies name it")] + proof + [checkID],
            #"{"purpose":"free-trial","deviceToken":"\#(token)"}"#,
            [.devicePurposeUnknown]
        )
    }

    private static var mark: Shape {
        shape(
            Shape(.ok, .named(.deviceMark), .deviceMark),
            [.required("event", .matching(name), "as the policies name it")] + proof + [checkID],
            #"{"event":"trial-started","deviceToken":"\#(token)"}"#,
            [.deviceEventUnknown]
        )
    }

    private static var validation: Shape {
        shape(
            Shape(.ok, .named(.deviceValidation), .deviceValidation),
            proof,
            #"{"deviceToken":"\#(token)"}"#,
            []
        )
    }

    static func shape(
        _ plain: Shape,
        _ members: [SchemaMember],
        _ example: String,
        _ problems: [FailureCode]
    ) -> Shape {
        var shape = plain
        shape.body = .object(members)
        shape.example = example
        shape.bodyLimit = 65_536
        shape.claim = .none
        shape.problems =
            [
                .deviceTokenMalformed, .deviceTokenUsed, .deviceTokenRefused, .deviceCheckUnavailable, .deviceCheckBusy,
            ] + problems
        return shape
    }

    static let proof: [SchemaMember] = [
        .optional(
            "deviceToken",
            .matching("^[A-Za-z0-9+/]+={0,2}$", upTo: DeviceQuestion.Proof.longestToken),
            "as `DCDevice.generateToken` gives it, in Base64; a new one for each request"
        ),
        .optional(
            "unsupported",
            .matching("^[!-~]{1,\(DeviceQuestion.Proof.longestReason)}$"),
            "in place of a token: why the device makes none"
        ),
        .optional(
            "environment",
            .word(DeviceEnvironment.allCases.map(\.rawValue)),
            "how the app is signed; default: that of the server"
        ),
    ]

    private static let checkID = SchemaMember.optional(
        "checkId",
        .matching(SchemaPattern.uuid),
        "of a check two minutes old at most, whose token may then come once more"
    )

    private static let name = "^[a-z0-9-]{1,40}$"
    /// No device has made it.
    static let token = String(repeating: "A", count: 160)
}

extension NamedSchema {
    private static let verdicts = Schema.word(DeviceDecision.Verdict.allCases.map(\.rawValue))
    private static let states = Schema.nullable(.word(DeviceState.allCases.map(\.rawValue)))
    private static let account = SchemaMember.required("accountId", .text(36...36))
    private static let checkID = SchemaMember.required("checkId", .text(36...36))
    private static let decision: [SchemaMember] = [
        account, .required("purpose", .text(1...40)),
        .required("decision", verdicts, "`unknown`: nobody can tell, now or for this device"),
        .required("reason", .word(DeviceDecision.Reason.allCases.map(\.rawValue)), "for support"),
        .required("state", states, "that has counted"),
        .required("lastUpdate", .nullable(.text(7...7)), "month in which the bits were last changed, as `2026-11`"),
        .required("needsReview", .flag, "whether it was allowed although nobody knows the device"), checkID,
    ]

    fileprivate static let deviceCheck = NamedSchema("DeviceCheck", .object([.kind("deviceCheck")] + decision))

    fileprivate static let deviceClaim = NamedSchema(
        "DeviceClaim",
        .object(
            [.kind("deviceClaim")] + decision + [
                .required("isGranted", .flag, "whether it is given by this request"),
                .required("claimId", .nullable(.text(36...36)), "what was given for the purpose, now or before"),
                .required("grantedAt", .nullable(.time)),
            ]
        )
    )

    fileprivate static let deviceMark = NamedSchema(
        "DeviceMark",
        .object([
            .kind("deviceMark"), account, .required("event", .text(1...40)),
            .required("state", states, "of the device now; `null` where nobody knows"),
            .required("isQueued", .flag, "whether the mark waits for the account's next visit"), checkID,
        ])
    )

    fileprivate static let deviceValidation = NamedSchema(
        "DeviceValidation",
        .object([.kind("deviceValidation"), account, .required("isGenuine", .flag), checkID])
    )

    fileprivate static let deviceHistoryRow = NamedSchema(
        "DeviceHistoryRow",
        .object([
            .required("id", .text(36...36)), .required("at", .time),
            .required("checkId", .nullable(.text(36...36)), "the request that it belongs to"),
            .required("kind", .text(1...40)), .required("purpose", .nullable(.text(1...40)), "or the event"),
            .required("outcome", .text(1...40)), .required("detail", .object([])),
        ])
    )
}

extension AnswerExample {
    private static let account = JSONValue.string("019a6c2e-8d4f-7b31-9c05-2e7f41d08a64")
    private static let flow = JSONValue.string("5e0c8b1a-3f6d-4f0e-9a57-6d1c2b3a4f50")
    private static let claimed = WallTime(seconds: 1_790_000_000)

    private static func decision(_ object: String) -> [JSONMember] {
        [
            .kind(object), JSONMember("accountId", account), JSONMember("purpose", "free-trial"),
            JSONMember("decision", "allow"), JSONMember("reason", "accepted"), JSONMember("state", "new"),
            JSONMember("lastUpdate", .null), JSONMember("needsReview", false), JSONMember("checkId", flow),
        ]
    }

    fileprivate static let deviceCheck = AnswerExample(
        "DeviceCheck",
        "a device that nobody has marked",
        .object(decision("deviceCheck"))
    )
    fileprivate static let deviceClaim = AnswerExample(
        "DeviceClaim",
        "what is given now",
        .object(
            decision("deviceClaim") + [
                JSONMember("isGranted", true), JSONMember("claimId", "019a6c2e-8d50-7c11-8a4e-0b6d5f2e9c71"),
                JSONMember("grantedAt", JSONValue(time: claimed)),
            ]
        )
    )
    fileprivate static let deviceMark = AnswerExample(
        "DeviceMark",
        "a device that was marked",
        [
            "object": "deviceMark", "accountId": account, "event": "trial-started", "state": "trial-used",
            "isQueued": false, "checkId": flow,
        ]
    )
    fileprivate static let deviceValidation = AnswerExample(
        "DeviceValidation",
        "a token of a real device",
        ["object": "deviceValidation", "accountId": account, "isGenuine": true, "checkId": flow]
    )
    fileprivate static let deviceHistory = AnswerExample(
        "DeviceHistory",
        "a page of what was asked and decided",
        .object([
            .kind("list"),
            JSONMember(
                "data",
                [
                    [
                        "id": "019a6c2e-8d50-7c11-8a4e-0b6d5f2e9c71", "at": JSONValue(time: claimed), "checkId": flow,
                        "kind": "claim", "purpose": "free-trial", "outcome": "allow",
                        "detail": ["reason": "accepted", "before": "new", "after": "trial-used"],
                    ]
                ]
            ), JSONMember("nextCursor", "019a6c2e-8d50-7c11-8a4e-0b6d5f2e9c71"), JSONMember("hasMore", false),
        ])
    )
}
