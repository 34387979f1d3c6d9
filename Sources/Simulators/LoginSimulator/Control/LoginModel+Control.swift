import Cryptography
import Primitives
package import SimulatorCore
import StrictJSON

// Calls of the control interface that are of logins alone.

extension LoginModel: ControlledModel {
    package static let faultRules = FaultRules(
        operations: ["discovery", "authorization", "step", "token", "keys", "keyMap", "userInfo"],
        account: "provider",
        status: { reason in
            switch reason.octets {
            case "invalid_client", "invalid_token": 401
            case "server_error", "temporarily_unavailable": 503
            case "slow_down": 429
            default: 400
            }
        }
    )

    /// As configured, or the first address that it listens at.
    package var baseURL: String { configuration.baseURL }

    /// Whether nothing was asked yet.
    package var isUntouched: Bool { calls.count == 0 }

    package mutating func ownControl(
        _ request: SimulatorRequest,
        _ path: [String]
    ) throws(ControlError) -> SimulatorAnswer? {
        guard path.count <= 2 else { return nil }
        switch (request.method, path.joined(separator: "/")) {
        case ("GET", ""): return .json(200, overview)
        case ("GET", "post.js"):
            return SimulatorAnswer(200, [("content-type", "text/javascript")], body: Array(LoginPages.postScript.utf8))
        case ("GET", "style.css"):
            let fields = SimulatorPage.fields("text/css; charset=utf-8")
            return SimulatorAnswer(200, fields, body: Array(SimulatorPage.css.utf8))
        case ("POST", "next"): return try addPilot(ControlBody(request))
        case ("POST", "flaws"): return try addFlaws(ControlBody(request))
        case ("POST", "switches"): return try setSwitches(ControlBody(request))
        case ("POST", "keys"): return try changeKeys(ControlBody(request))
        case ("POST", "consent/withdraw"): return try withdraw(ControlBody(request))
        default: return nil
        }
    }

    private var overview: JSONValue {
        [
            "providers": .array(ProviderFace.all.map { ["name": .string($0.name), "issuer": .string(issuer($0))] }),
            "users": .array(SimulatedUser.all.map { .string($0.name) }),
            "clients": .array(
                configuration.clients.map { client in
                    ["id": .string(client.id), "redirects": .array(client.redirects.map { .string($0) })]
                }
            ),
            "flaws": .array(TokenFlaw.allCases.map { .string($0.rawValue) }),
        ]
    }

    private mutating func addPilot(_ body: ControlBody) throws(ControlError) -> SimulatorAnswer {
        try body.check([
            .init("user", .oneOf(SimulatedUser.all.map(\.name)), isRequired: true),
            .init("action", .oneOf(Pilot.Action.allCases.map(\.rawValue)), isRequired: true),
        ])
        guard state.pilots.count < 1_000, let user = body.value["user"]?.text,
            let action = body.value["action"]?.text.flatMap({ Pilot.Action(rawValue: $0) })
        else { throw ControlError(409, "A thousand users wait already.") }
        state.pilots.append(Pilot(user: user, action: action))
        return .json(200, ["waiting": JSONValue(state.pilots.count)])
    }

    private mutating func addFlaws(_ body: ControlBody) throws(ControlError) -> SimulatorAnswer {
        let list = body.value.elements.isEmpty ? [body.value] : body.value.elements
        var added: [WaitingFlaw] = []
        for element in list {
            try ControlBody.check(
                element,
                [
                    .init("at", .oneOf(TokenFlaw.Place.allCases.map(\.rawValue)), isRequired: true),
                    .init("do", .oneOf(TokenFlaw.allCases.map(\.rawValue)), isRequired: true),
                    .init("count", .count),
                ]
            )
            guard let place = element["at"]?.text.flatMap({ TokenFlaw.Place(rawValue: $0) }),
                let flaw = element["do"]?.text.flatMap({ TokenFlaw(rawValue: $0) }), flaw.belongs(place)
            else { throw ControlError("That flaw is of another place.") }
            let count = max(1, min(element["count"]?.integer ?? 1, 1_000_000))
            added.append(WaitingFlaw(place: place, flaw: flaw, count: count))
        }
        guard state.flaws.count + added.count <= 1_000 else {
            throw ControlError(409, "A thousand flaws wait already.")
        }
        state.flaws += added
        return .json(200, ["waiting": JSONValue(state.flaws.count)])
    }

    private mutating func setSwitches(_ body: ControlBody) throws(ControlError) -> SimulatorAnswer {
        try body.check([
            .init("namesIssuer", .flag), .init("announcesProofKey", .flag), .init("endsTokensOfTwice", .flag),
            .init("keysMaxAge", .count), .init("keysEmpty", .flag),
        ])
        let value = body.value
        if let flag = value["namesIssuer"]?.flag { state.switches.namesIssuer = flag }
        if let flag = value["announcesProofKey"]?.flag { state.switches.announcesProofKey = flag }
        if let flag = value["endsTokensOfTwice"]?.flag { state.switches.endsTokensOfTwice = flag }
        if let age = value["keysMaxAge"]?.integer { state.keys.maximumAge = age }
        if let flag = value["keysEmpty"]?.flag { state.keys.isEmpty = flag }
        return .json(200, ["status": "ok"])
    }

    private mutating func changeKeys(_ body: ControlBody) throws(ControlError) -> SimulatorAnswer {
        try body.check([
            .init("op", .oneOf(["add", "activate", "retire", "rotate", "swap-same-kid"]), isRequired: true),
            .init("algorithm", .oneOf(["RS256", "ES256"])),
        ])
        let algorithm = body.value["algorithm"]?.text ?? "RS256"
        do {
            switch body.value["op"]?.text ?? "" {
            case "add": _ = try state.keys.add(algorithm)
            case "activate": state.keys.activate(algorithm)
            case "retire": state.keys.retire(algorithm)
            case "rotate":
                _ = try state.keys.add(algorithm)
                state.keys.activate(algorithm)
            default: try state.keys.swap(algorithm)
            }
        } catch {
            throw ControlError(500, "OpenSSL makes no key.")
        }
        let names = state.keys.published(algorithm).map { JSONValue.string($0.id) }
        return .json(200, ["keys": .array(names), "signs": JSONValue(state.keys.signer(algorithm)?.id)])
    }

    private mutating func withdraw(_ body: ControlBody) throws(ControlError) -> SimulatorAnswer {
        try body.check([.init("user", .text(100), isRequired: true), .init("client", .text(300), isRequired: true)])
        state.grants.withdraw(body.value["user"]?.text ?? "", body.value["client"]?.text ?? "")
        return .json(200, ["status": "ok"])
    }
}
