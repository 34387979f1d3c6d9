import Primitives
import SimulatorCore
import StrictJSON

// The control interface: for the tester on this machine, never for anybody else.

extension AmazonPayModel {
    mutating func control(_ request: SimulatorRequest) -> SimulatorAnswer {
        do {
            try checkTester(request)
            return try answerControl(request)
        } catch {
            return .json(error.status, ["error": .string(error.message)])
        }
    }

    /// A page of another site must not be able to reach in through the tester's browser.
    private func checkTester(_ request: SimulatorRequest) throws(ControlError) {
        guard request.isLocalPeer else { throw ControlError(403, "The control interface is for loopback only.") }
        let host = WebURL("http://" + (request.first("host") ?? "localhost").lowercased())
        let isOwnHost = host?.host == WebURL(configuration.baseURL)?.host
        guard host?.isLocal == true || isOwnHost else { throw ControlError(403, "The host is not this machine.") }
        if let origin = request.first("origin") {
            guard WebURL(origin)?.isLocal == true else { throw ControlError(403, "The origin is not this machine.") }
        }
    }

    private mutating func answerControl(_ request: SimulatorRequest) throws(ControlError) -> SimulatorAnswer {
        let parts = request.path.split(separator: "/").dropFirst().map(String.init)
        switch (request.method, parts.first, parts.count) {
        case ("GET", "health", 1): return .json(200, ["status": "ok"])
        case ("GET", "state", 1): return .json(200, stateJSON)
        case ("GET", "objects", 2): return .json(200, try objectJSON(parts[1]))
        case ("GET", "log", 1): return .json(200, logJSON(request.query))
        case ("GET", "clock", 1): return .json(200, clockJSON)
        case ("GET", "options", 1): return .json(200, switches.json)
        case ("GET", "faults", 1): return .json(200, faultsJSON)
        case ("POST", "reset", 1):
            reset()
            return .json(200, ["status": "ok"])
        case ("POST", "clock", 1): return .json(200, try setClock(ControlBody(request)))
        case ("POST", "options", 1): return .json(200, try setSwitches(ControlBody(request)))
        case ("POST", "faults", 1): return .json(200, try addFaults(ControlBody(request)))
        case ("DELETE", "faults", 1):
            faults.removeAll()
            return .json(200, faultsJSON)
        case ("POST", let kind?, 3) where parts[2] == "state":
            return .json(200, try forceState(of: kind, parts[1], ControlBody(request)))
        case (_, "ipn", _): return try controlNotifications(request, Array(parts.dropFirst()))
        case ("GET", "snapshot", 1): return .json(200, snapshotsJSON)
        case ("POST", "snapshot", 1): return .json(200, try takeSnapshot(ControlBody(request)))
        case ("POST", "next-buyer", 1): return .json(200, try addNextBuyer(ControlBody(request)))
        default: throw ControlError(404, "There is no \(request.method) \(request.path).")
        }
    }

    // MARK: Changes

    private mutating func setClock(_ body: ControlBody) throws(ControlError) -> JSONValue {
        try body.check([.init("now", .text(40)), .init("advance", .text(40))])
        switch (body.value["now"]?.text, body.value["advance"]?.text) {
        case (let text?, nil):
            guard let time = CalendarDate.time(of: text) else {
                throw ControlError("now is not a time like 2026-03-14T02:00:00Z.")
            }
            guard time >= engine.now || engine.isUntouched else {
                throw ControlError(409, "The clock goes back only after a reset: objects have lived until the present.")
            }
            clock.set(to: time, at: realTime)
        case (nil, let text?):
            guard let duration = ISO8601.duration(text) else {
                throw ControlError("advance is not a duration like PT25H or P30D.")
            }
            clock.advance(by: duration)
        default: throw ControlError("Either now or advance is needed.")
        }
        engine.advance(to: clock.time(at: realTime))
        return clockJSON
    }

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

    private mutating func takeSnapshot(_ body: ControlBody) throws(ControlError) -> JSONValue {
        try body.check([.init("keep", .text(100)), .init("restore", .text(100)), .init("drop", .text(100))])
        switch (body.value["keep"]?.text, body.value["restore"]?.text, body.value["drop"]?.text) {
        case (let name?, nil, nil):
            guard snapshots[name] != nil || snapshots.count < Snapshot.limit else {
                throw ControlError(409, "There are \(Snapshot.limit) snapshots already; drop one.")
            }
            snapshots[name] = Snapshot(self)
        case (nil, let name?, nil):
            guard let snapshot = snapshots[name] else { throw ControlError(404, "There is no snapshot \(name).") }
            restore(snapshot)
        case (nil, nil, let name?): snapshots[name] = nil
        default: throw ControlError("One of keep, restore and drop is needed, with a name.")
        }
        return snapshotsJSON
    }

    private mutating func addFaults(_ body: ControlBody) throws(ControlError) -> JSONValue {
        let list = body.value.elements.isEmpty ? [body.value] : body.value.elements
        var added: [Fault] = []
        for element in list { added.append(try Fault(element)) }
        faults.add(added)
        return faultsJSON
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
        desk.add(next)
        return ["waiting": JSONValue(desk.nextBuyers.count)]
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

/// Why the control interface refuses.
struct ControlError: Error, Sendable, Equatable {
    let status: Int
    let message: String

    init(_ status: Int, _ message: String) {
        self.status = status
        self.message = message
    }

    init(_ message: String) {
        self.init(400, message)
    }
}

/// The JSON that a tester sent.
struct ControlBody: Sendable {
    let value: JSONValue

    init(_ request: SimulatorRequest) throws(ControlError) {
        guard request.body.count <= AmazonPayModel.bodyLimit else { throw ControlError(413, "The body is too large.") }
        do {
            value = try JSONParser.parse(request.body)
        } catch {
            throw ControlError("The body is not valid JSON: \(error).")
        }
    }

    func check(_ members: [Shape.Member]) throws(ControlError) {
        do {
            try BodyCheck.check(value, members)
        } catch {
            throw ControlError(error.message)
        }
    }
}
