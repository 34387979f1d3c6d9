import Cryptography
import JOSE
import Primitives
package import SimulatorCore
import StrictJSON

// Calls of the control interface that are of devices alone.

extension DeviceCheckModel: ControlledModel {
    package static let faultRules = FaultRules(
        operations: DeviceCheckOperation.allCases.map(\.rawValue),
        account: "environment",
        status: status(ofReason:)
    )

    /// As configured, or the first address that it listens at.
    package var baseURL: String { configuration.baseURL }

    /// Whether no device has given out a token, and nothing was asked yet.
    package var isUntouched: Bool { calls.count == 0 && state.tokens.isEmpty && state.bits.isEmpty }

    package mutating func ownControl(
        _ request: SimulatorRequest,
        _ path: [String]
    ) throws(ControlError) -> SimulatorAnswer? {
        switch (request.method, path.first ?? "", path.count) {
        case ("GET", "", 0): return .json(200, DeviceCheckModel.overview)
        case ("GET", "rules", 1): return .json(200, state.rules.json)
        case ("POST", "rules", 1):
            try state.rules.apply(ControlBody(request))
            return .json(200, state.rules.json)
        case (_, "keys", _): return try controlKeys(request, Array(path.dropFirst()))
        case ("GET", "attest", 2): return try attestRoot(path[1])
        case (_, "devices", _): return try controlDevices(request, Array(path.dropFirst()))
        default: return nil
        }
    }

    /// For whoever asks with a program at the address of the pages.
    private static let overview: JSONValue = [
        "pages": "Open this address in a browser for phones that can be sold.",
        "calls": [
            "/_sim/devices", "/_sim/keys", "/_sim/rules", "/_sim/log", "/_sim/clock", "/_sim/faults",
            "/_sim/snapshot", "/_sim/health",
        ],
        "description": "docs/devicecheck-simulator.md",
    ]

    // MARK: Keys

    private static let keyLimit = 100

    private mutating func controlKeys(
        _ request: SimulatorRequest,
        _ path: [String]
    ) throws(ControlError) -> SimulatorAnswer? {
        switch (request.method, path.count) {
        case ("GET", 0): return .json(200, ["keys": .array(state.keys.map(\.json))])
        case ("POST", 0): return .json(200, try addKey(ControlBody(request)))
        case ("POST", 2) where path[1].octets == "revoke":
            guard let index = state.keys.firstIndex(where: { $0.key.id.octets == path[0].octets }) else {
                throw ControlError(404, "There is no such key.")
            }
            state.keys[index].isRevoked = true
            return .json(200, state.keys[index].json)
        default: return nil
        }
    }

    /// Registers a key; without a public half it makes one, and shows the private half this once.
    private mutating func addKey(_ body: ControlBody) throws(ControlError) -> JSONValue {
        try body.check([
            .init("keyId", .text(40)), .init("teamId", .text(40)), .init("deviceCheck", .flag),
            .init("publicKey", .text(2_000)),
        ])
        let id = body.value["keyId"]?.text ?? String(mint.token().prefix(10)).uppercased()
        let team = body.value["teamId"]?.text ?? configuration.team
        guard id.octets.isWord, team.octets.isWord else { throw ControlError("keyId and teamId are words.") }
        guard !state.keys.contains(where: { $0.key.id.octets == id.octets }) else {
            throw ControlError(409, "There is such a key already.")
        }
        guard state.keys.count < Self.keyLimit else { throw ControlError(409, "There are \(Self.keyLimit) keys.") }
        var pem: Secret<[UInt8]>?
        let key: JWSVerificationKey
        do throws(CryptographyError) {
            if let text = body.value["publicKey"]?.text {
                key = try JWSVerificationKey(pem: Array(text.utf8))
            } else {
                let made = try ES256PrivateKey.generatePEM()
                key = try JWSVerificationKey(of: ES256PrivateKey(pem: made))
                pem = made
            }
        } catch { throw ControlError("publicKey is no public key in PEM.") }
        let added = DeviceCheckKey(
            key: APIKey(id: id, issuer: team, key: key),
            hasDeviceCheck: body.value["deviceCheck"]?.flag ?? true
        )
        state.keys.append(added)
        guard let pem else { return added.json }
        let text = String(decoding: pem.reveal(), as: UTF8.self)
        return .object(added.json.members + [JSONMember("privateKey", .string(text))])
    }
}
