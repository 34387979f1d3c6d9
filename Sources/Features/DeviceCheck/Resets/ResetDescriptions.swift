import DeviceAttestation
import HTTPCore
import Operations
import Primitives
import ServiceAPI
import StrictJSON
import Web

// What is known of the routes that take marks off devices.
extension RouteDescription {
    static let resetDevice = RouteDescription(
        .post,
        "/app/v1/devices/reset",
        "resetDevice",
        .devices,
        .devices,
        "take the marks off the device, with a code of support",
        shape(
            Shape(.ok, .named(.deviceReset), .deviceReset),
            proof + [.required("code", .matching("^[A-Z2-9]{10}$"), "that support has given")],
            #"{"code":"K7QFMZ2XWT","deviceToken":"\#(token)"}"#,
            [.deviceResetCodeWrong, .deviceBlocked]
        )
    )

    static let releaseDevice = RouteDescription(
        .post,
        "/app/v1/devices/release",
        "releaseDevice",
        .devices,
        .devices,
        "take the marks off the device because its owner gives it away; once a year, and the account keeps what it has had",
        shape(
            Shape(.ok, .named(.deviceRelease), .deviceRelease),
            proof,
            #"{"deviceToken":"\#(token)"}"#,
            [.deviceBlocked, .deviceReleasedLately]
        )
    )

    static let makeResetCode = RouteDescription(
        .post,
        "/v1/devices/accounts/{id}/reset-codes",
        "makeResetCode",
        .devices,
        .devicesWrite,
        "make a code with which the account resets its device within a quarter of an hour",
        resetCode
    )

    private static var resetCode: Shape {
        var shape = Shape(.ok, .named(.deviceResetCode), .deviceResetCode)
        shape.body = .object([
            .required("operator", .printable(1...100), "who has decided it"),
            .required("reason", .printable(1...200), "why; no secret"),
        ])
        shape.example = #"{"operator":"hana","reason":"bought used, has shown the receipt"}"#
        shape.bodyLimit = 4_096
        shape.claim = .none
        return shape
    }
}

extension NamedSchema {
    private static let account = SchemaMember.required("accountId", .text(36...36))

    private static func lowered(_ object: String) -> Schema {
        .object([
            .kind(object), account, .required("state", .word(["known"])), .required("checkId", .text(36...36)),
        ])
    }

    fileprivate static let deviceReset = NamedSchema("DeviceReset", lowered("deviceReset"))
    fileprivate static let deviceRelease = NamedSchema("DeviceRelease", lowered("deviceRelease"))
    fileprivate static let deviceResetCode = NamedSchema(
        "DeviceResetCode",
        .object([
            .kind("deviceResetCode"), account, .required("code", .text(10...10)),
            .required("expiresIn", .integer(1...86_400), "seconds"),
        ])
    )
}

extension AnswerExample {
    private static let account = JSONValue.string("019a6c2e-8d4f-7b31-9c05-2e7f41d08a64")
    private static let flow = JSONValue.string("5e0c8b1a-3f6d-4f0e-9a57-6d1c2b3a4f50")

    fileprivate static let deviceReset = AnswerExample(
        "DeviceReset",
        "a device without marks",
        ["object": "deviceReset", "accountId": account, "state": "known", "checkId": flow]
    )
    fileprivate static let deviceRelease = AnswerExample(
        "DeviceRelease",
        "a device that is given away",
        ["object": "deviceRelease", "accountId": account, "state": "known", "checkId": flow]
    )
    fileprivate static let deviceResetCode = AnswerExample(
        "DeviceResetCode",
        "a code for support to tell",
        ["object": "deviceResetCode", "accountId": account, "code": "K7QFMZ2XWT", "expiresIn": 900]
    )
}
