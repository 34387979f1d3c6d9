package import Primitives
package import SimulatorCore
import StrictJSON

// What Amazon Pay's control interface has beside that of every simulator.

extension AmazonPayModel: ControlledModel {
    /// Operations of the API; pages have to be named.
    package static let faultRules = FaultRules(
        operations: APIOperation.allCases.map(\.rawValue) + HostedRoute.allCases.map(\.name),
        account: "merchantId"
    ) { reason in
        APIReason(rawValue: reason)?.status
    }

    /// As configured, or the first address that it listens at.
    package var baseURL: String { configuration.baseURL }

    /// Up to which its objects have lived.
    package var now: WallTime { engine.now }

    /// Whether it has no object yet.
    package var isUntouched: Bool { engine.isUntouched }

    /// Objects, money, keys, faults and visits.
    package func snapshot() -> Snapshot { Snapshot(self) }

    package mutating func ownControl(
        _ request: SimulatorRequest,
        _ path: [String]
    ) throws(ControlError) -> SimulatorAnswer? {
        switch (request.method, path.first, path.count) {
        case ("GET", "state", 1): return .json(200, stateJSON)
        case ("GET", "objects", 2): return .json(200, try objectJSON(path[1]))
        case ("GET", "options", 1): return .json(200, switches.json)
        case ("POST", "options", 1): return .json(200, try setSwitches(ControlBody(request)))
        case ("POST", let kind?, 3) where path[2] == "state":
            return .json(200, try forceState(of: kind, path[1], ControlBody(request)))
        case (_, "ipn", _): return try controlNotifications(request, Array(path.dropFirst()))
        case ("POST", "next-buyer", 1): return .json(200, try addNextBuyer(ControlBody(request)))
        default: return nil
        }
    }

    // MARK: Changes

    private mutating func setSwitches(_ body: ControlBody) throws(ControlError) -> JSONValue {
        try body.check(SimulatorSwitches.members)
        for name in ["refundDelay", "bankDelay"] {
            if let text = body.value[name]?.text, ISO8601.duration(text) == nil {
                throw ControlError("\(name) is not a duration like PT5S or PT24H.")
            }
        }
        switches.apply(body.value)
        engine.bankDelay = switches.bankDelay
        return switches.json
    }

    private mutating func addNextBuyer(_ body: ControlBody) throws(ControlError) -> JSONValue {
        try body.check([
            .init("email", .text(200)), .init("addressId", .text(100)), .init("cardId", .text(100)),
            .init("answers", .list(of: .oneOf(NextBuyer.Question.allCases.map(\.rawValue)), limit: 3)),
            .init("count", .count),
        ])
        var next = NextBuyer()
        next.email = body.value["email"]?.text
        next.addressID = body.value["addressId"]?.text
        next.cardID = body.value["cardId"]?.text
        if let answers = body.value["answers"] {
            next.answers = Set(answers.elements.compactMap { $0.text.flatMap(NextBuyer.Question.init) })
        }
        next.count = max(1, min(body.value["count"]?.integer ?? 1, 1_000_000))
        try check(next)
        pages.add(next)
        return ["waiting": JSONValue(pages.nextBuyers.count)]
    }

    private func check(_ next: NextBuyer) throws(ControlError) {
        let buyer =
            next.email.map { email in configuration.buyers.first { $0.email == email } } ?? configuration.buyers.first
        guard let buyer else { throw ControlError("There is no buyer with this email.") }
        if let id = next.addressID, !configuration.buyers.contains(where: { $0.addresses.contains { $0.id == id } }) {
            throw ControlError("No buyer has an address \(id); \(buyer.email) has \(buyer.addresses.map(\.id)).")
        }
        if let id = next.cardID, !TestCard.all.contains(where: { $0.id == id }) {
            throw ControlError("There is no card \(id); there are \(TestCard.all.map(\.id)).")
        }
    }
}
