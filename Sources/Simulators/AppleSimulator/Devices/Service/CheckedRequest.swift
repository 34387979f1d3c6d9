import Cryptography
import Primitives
import SimulatorCore
import StrictJSON

/// A request that the service does.
struct CheckedRequest: Sendable {
    enum Order: Sendable {
        case query
        /// A bit is `nil` where the request does not name it.
        case update(Bool?, Bool?)
        case validate
        /// For a newer one.
        case exchange(IssuedReceipt, [UInt8])
    }

    let device: Int
    let team: String
    let environment: DeviceEnvironment
    let order: Order
}

extension DeviceCheckModel {
    /// How far a client's clock may be from the real one.
    private static let clockTolerance: Int64 = 600_000

    /// Checks a request, each part in its turn.
    mutating func check(
        _ request: SimulatorRequest,
        _ route: DeviceCheckRoute,
        _ entry: inout DeviceCheckEntry
    ) throws(DeviceCheckRefusal) -> CheckedRequest {
        guard route.operation != .attestationData else { return try checkReceipt(request, route, &entry) }
        let content = (try? JSONParser.parse(request.body)) ?? .null
        entry.note(content)
        guard request.method.octets == "POST" else { throw .methodNotAllowed }
        // Clients go by the real clock, wherever the simulated one is.
        let team = try BearerToken.team(BearerToken(request.first("authorization")), keys: state.keys, now: realTime)
        entry.team = team
        guard case .object = content else { throw .badPayload }
        let text = content["device_token"]?.text ?? ""
        let token = try token(text, of: team, in: route.environment)
        entry.device = token.device
        try check(timestamp: content["timestamp"])
        guard let transaction = content["transaction_id"]?.text, !transaction.isEmpty else { throw .badPayload }
        let order = try order(route.operation, content)
        try state.tokens[text]?.use(for: route.operation, transaction: transaction, under: state.rules.use)
        return CheckedRequest(device: token.device, team: team, environment: route.environment, order: order)
    }

    private func token(
        _ text: String,
        of team: String,
        in environment: DeviceEnvironment
    ) throws(DeviceCheckRefusal) -> DeviceToken {
        guard let token = state.tokens[text], token.team.octets == team.octets, token.environment == environment,
            now < token.issuedAt + .seconds(state.rules.tokenLife)
        else { throw .badDeviceToken }
        return token
    }

    private func check(timestamp: JSONValue?) throws(DeviceCheckRefusal) {
        guard let milliseconds = timestamp?.integer else { throw .badTimestamp }
        let now = realTime.microseconds / 1_000
        guard (now - Self.clockTolerance...now + Self.clockTolerance).contains(Int64(milliseconds)) else {
            throw .badTimestamp
        }
    }

    private func order(
        _ operation: DeviceCheckOperation,
        _ content: JSONValue
    ) throws(DeviceCheckRefusal) -> CheckedRequest.Order {
        switch operation {
        case .queryTwoBits: return .query
        case .validateDeviceToken: return .validate
        // Its content is no object.
        case .attestationData: throw .badPayload
        case .updateTwoBits:
            let given = [content["bit0"], content["bit1"]]
            let bits = given.map { $0?.flag }
            let isComplete = !bits.contains { $0 == nil }
            guard zip(given, bits).allSatisfy({ $0 == nil || $1 != nil }), bits.contains(where: { $0 != nil }),
                isComplete || state.rules.absentBit != .refuse
            else { throw .badBits }
            return .update(bits[0], bits[1])
        }
    }
}

// Receipts of App Attest, which a server exchanges for newer ones that say how many keys a device has had attested.
extension DeviceCheckModel {
    /// Checks a request for a newer receipt, whose content is a receipt in Base64.
    mutating func checkReceipt(
        _ request: SimulatorRequest,
        _ route: DeviceCheckRoute,
        _ entry: inout DeviceCheckEntry
    ) throws(DeviceCheckRefusal) -> CheckedRequest {
        guard request.method.octets == "POST" else { throw .methodNotAllowed }
        // Documented without the word in front of the token; whether the vendor takes it with the word, too, nobody has said.
        let token = BearerToken(request.first("authorization"), mayBeBare: true)
        let team = try BearerToken.team(token, keys: state.keys, now: realTime)
        entry.team = team
        guard let bytes = Base64.decode(String(decoding: request.body, as: UTF8.self)),
            AppAttestAuthority.leaf(ofReceipt: bytes) != nil
        else { throw .badReceipt }
        entry.note(receipt: bytes)
        guard let receipt = state.receipts[bytes], receipt.environment == route.environment,
            receipt.app.octets.starts(with: (team + ".").octets), now < receipt.expiresAt,
            state.devices[receipt.device - 1].risk(in: route.environment, at: now) != nil
        else { throw .noData }
        entry.device = receipt.device
        guard receipt.notBefore <= now else { throw .tooEarly }
        return CheckedRequest(
            device: receipt.device,
            team: team,
            environment: route.environment,
            order: .exchange(receipt, bytes)
        )
    }
}
