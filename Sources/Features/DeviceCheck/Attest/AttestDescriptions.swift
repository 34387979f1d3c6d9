import DeviceAttestation
import HTTPCore
import Primitives
import ServiceAPI
import StrictJSON
import Web

// What is known of the routes that lead to an attested key.
extension RouteDescription {
    static let makeAttestChallenge = RouteDescription(
        .post,
        "/app/v1/devices/attest/challenge",
        "makeAttestChallenge",
        .devices,
        .devices,
        "make a challenge, which an attestation or an assertion of the account uses up",
        challenge
    )

    static let attestKey = RouteDescription(
        .post,
        "/app/v1/devices/attest",
        "attestKey",
        .devices,
        .devices,
        "bind a key that Apple attests to the account; the same request again changes nothing",
        attestation
    )

    private static var challenge: Shape {
        var shape = Shape(.ok, .named(.attestChallenge), .attestChallenge)
        shape.claim = .none
        return shape
    }

    private static var attestation: Shape {
        var shape = Shape(.ok, .named(.attestedKey), .attestedKey)
        shape.body = .object([
            .required("keyId", .matching("^[A-Za-z0-9+/]{43}=$"), "as `DCAppAttestService.generateKey` gives it"),
            .required(
                "attestation",
                .matching("^[A-Za-z0-9+/]+={0,2}$", upTo: 45_000),
                "as `attestKey` gives it for SHA-256 of the challenge, in Base64"
            ), .required("challenge", .matching("^[!-~]{1,100}$"), "as it was given"),
        ])
        shape.example =
            #"{"keyId":"\#(key)","attestation":"\#(String(repeating: "A", count: 160))","challenge":"\#(fresh)"}"#
        shape.bodyLimit = 65_536
        shape.claim = .none
        shape.problems = [.attestationRefused, .attestChallengeGone, .attestKeyTaken, .notFound]
        return shape
    }

    fileprivate static let key = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    fileprivate static let fresh = "j3R1n0mSfWgO0mPpQvJ7lq2bT5x8cYdEuHk4sZaLw9A"
}

extension NamedSchema {
    fileprivate static let attestChallenge = NamedSchema(
        "AttestChallenge",
        .object([
            .kind("attestChallenge"), .required("challenge", .text(43...43), "to be signed as it stands here"),
            .required("expiresAt", .time),
        ])
    )

    fileprivate static let attestedKey = NamedSchema(
        "AttestedKey",
        .object([
            .kind("attestedKey"), .required("accountId", .text(36...36)), .required("keyId", .text(44...44)),
            .required("app", .text(12...200), "team id and bundle id"),
            .required("environment", .word(AttestEnvironment.allCases.map(\.rawValue))),
        ])
    )
}

extension AnswerExample {
    fileprivate static let attestChallenge = AnswerExample(
        "AttestChallenge",
        "something to sign",
        [
            "object": "attestChallenge", "challenge": .string(RouteDescription.fresh),
            "expiresAt": JSONValue(time: WallTime(seconds: 1_790_000_300)),
        ]
    )
    fileprivate static let attestedKey = AnswerExample(
        "AttestedKey",
        "a key that requests are signed with from now on",
        [
            "object": "attestedKey", "accountId": "019a6c2e-8d4f-7b31-9c05-2e7f41d08a64",
            "keyId": .string(RouteDescription.key), "app": "A1B2C3D4E5.com.example.shop", "environment": "production",
        ]
    )
}
