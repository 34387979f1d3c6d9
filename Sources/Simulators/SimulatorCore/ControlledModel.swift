import HTTPCore
package import Primitives
package import StrictJSON

/// A simulated service as a value that the control interface below `/_sim` works on.
///
/// The interface is for a tester on this machine, or in a network that the operator names. Every simulator has clock, faults, log of calls, snapshots and reset
/// from here; `ownControl` adds the calls of one service.
package protocol ControlledModel {
    /// A call in the log.
    associatedtype Entry: CallLogEntry
    /// The state that a tester may go back to.
    associatedtype Snapshot: Sendable

    /// Operations and words of the service that a fault may name.
    static var faultRules: FaultRules { get }

    /// Scheme, host and port under which clients find it.
    var baseURL: String { get }
    /// The real time of the present request.
    var realTime: WallTime { get }
    /// The simulated time that its objects have reached.
    var now: WallTime { get }
    /// True without objects; only then may the clock be set back.
    var isUntouched: Bool { get }
    /// The distance of the simulated time from the real one.
    var clock: SimulatedClock { get set }
    /// Faults that wait for their request.
    var faults: FaultQueue { get set }
    /// Calls that were answered.
    var calls: CallLog<Entry> { get }
    /// Snapshots by name.
    var snapshots: [String: Snapshot] { get set }

    /// Advances its objects to the simulated time at a real one.
    mutating func moveTo(_ real: WallTime)
    /// Drops everything but the configuration.
    mutating func reset()
    /// The present state.
    func snapshot() -> Snapshot
    /// Goes back to a state, and sets the clock to its time.
    mutating func restore(_ snapshot: Snapshot)

    /// Further members of `GET log`.
    func logMembers(of entries: [Entry]) -> [JSONMember]
    /// Answers a control call of this service alone.
    ///
    /// - Parameter path: The segments below `/_sim`.
    /// - Returns: `nil` for an unknown call.
    mutating func ownControl(_ request: SimulatorRequest, _ path: [String]) throws(ControlError) -> SimulatorAnswer?
}

extension ControlledModel {
    /// True for a request to the control interface.
    package static func isControl(_ request: SimulatorRequest) -> Bool {
        request.path == "/_sim" || request.path.hasPrefix("/_sim/")
    }

    /// Answers a tester.
    package mutating func control(_ request: SimulatorRequest) -> SimulatorAnswer {
        do {
            try checkTester(request)
            return try answerTester(request)
        } catch {
            return .json(error.status, ["error": .string(error.message)])
        }
    }

    package func logMembers(of entries: [Entry]) -> [JSONMember] { [] }

    /// Refuses who is no tester; a page of another site must not be able to reach in through the tester's browser.
    package func checkTester(_ request: SimulatorRequest) throws(ControlError) {
        guard request.mayControl else {
            throw ControlError(403, "The control interface is for loopback, and the networks of --control-from.")
        }
        let host = WebURL("http://" + (request.first("host") ?? "localhost").lowercased())
        let isOwnHost = host?.host == WebURL(baseURL)?.host
        guard host?.isLocal == true || isOwnHost else { throw ControlError(403, "The host is not this machine.") }
        if let origin = request.first("origin") {
            guard WebURL(origin)?.isLocal == true else { throw ControlError(403, "The origin is not this machine.") }
        }
    }

    private mutating func answerTester(_ request: SimulatorRequest) throws(ControlError) -> SimulatorAnswer {
        let path = request.path.split(separator: "/").dropFirst().map(String.init)
        switch (request.method, path.count == 1 ? path[0] : "") {
        case ("GET", "health"): return .json(200, ["status": "ok"])
        case ("GET", "log"): return .json(200, log(request.query))
        case ("GET", "clock"): return .json(200, clockJSON)
        case ("POST", "clock"): return .json(200, try setClock(ControlBody(request)))
        case ("GET", "faults"): return .json(200, faultsJSON)
        case ("POST", "faults"): return .json(200, try addFaults(ControlBody(request)))
        case ("DELETE", "faults"):
            faults.removeAll()
            return .json(200, faultsJSON)
        case ("GET", "snapshot"): return .json(200, snapshotsJSON)
        case ("POST", "snapshot"): return .json(200, try takeSnapshot(ControlBody(request)))
        case ("POST", "reset"):
            reset()
            return .json(200, ["status": "ok"])
        default:
            if let answer = try ownControl(request, path) { return answer }
            throw ControlError(404, "There is no \(request.method) \(request.path).")
        }
    }

    // MARK: Clock

    /// The simulated and the real time.
    package var clockJSON: JSONValue {
        ["now": .string(CalendarDate(now).extendedText), "real": .string(CalendarDate(realTime).extendedText)]
    }

    private mutating func setClock(_ body: ControlBody) throws(ControlError) -> JSONValue {
        try body.check([.init("now", .text(40)), .init("advance", .text(40))])
        switch (body.value["now"]?.text, body.value["advance"]?.text) {
        case (let text?, nil):
            guard let time = CalendarDate.time(of: text) else {
                throw ControlError("now is not a time like 2026-03-14T02:00:00Z.")
            }
            guard time >= now || isUntouched else {
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
        moveTo(realTime)
        return clockJSON
    }

    // MARK: Faults

    private var faultsJSON: JSONValue { ["waiting": .array(faults.waiting.map { $0.json(Self.faultRules) })] }

    private mutating func addFaults(_ body: ControlBody) throws(ControlError) -> JSONValue {
        let list = body.value.elements.isEmpty ? [body.value] : body.value.elements
        var added: [Fault] = []
        for element in list { added.append(try Fault(element, Self.faultRules)) }
        faults.add(added)
        return faultsJSON
    }

    // MARK: Snapshots

    private var snapshotsJSON: JSONValue {
        ["snapshots": .array(snapshots.keys.sorted().map(JSONValue.string)), "clock": clockJSON]
    }

    private mutating func takeSnapshot(_ body: ControlBody) throws(ControlError) -> JSONValue {
        try body.check([.init("keep", .text(100)), .init("restore", .text(100)), .init("drop", .text(100))])
        switch (body.value["keep"]?.text, body.value["restore"]?.text, body.value["drop"]?.text) {
        case (let name?, nil, nil):
            guard snapshots[name] != nil || snapshots.count < snapshotLimit else {
                throw ControlError(409, "There are \(snapshotLimit) snapshots already; drop one.")
            }
            snapshots[name] = snapshot()
        case (nil, let name?, nil):
            guard let snapshot = snapshots[name] else { throw ControlError(404, "There is no snapshot \(name).") }
            restore(snapshot)
        case (nil, nil, let name?): snapshots[name] = nil
        default: throw ControlError("One of keep, restore and drop is needed, with a name.")
        }
        return snapshotsJSON
    }

    // MARK: Log

    private func log(_ query: String) -> JSONValue {
        let bytes = Array(query.utf8)
        let parameters = try? HTTPParameters(bytes.span)
        func number(_ name: String) -> Int? {
            guard let text = try? parameters?.value(name) else { return nil }
            return Int(text).flatMap { $0 >= 0 ? $0 : nil }
        }
        let entries = calls.entries(since: number("since") ?? 0, limit: min(number("limit") ?? 1000, 5000))
        return .object(
            [
                JSONMember("entries", .array(entries.map(\.json))),
                JSONMember("last", JSONValue(entries.last?.number ?? calls.count)),
            ] + logMembers(of: entries)
        )
    }
}

/// Snapshots that are kept at a time.
private let snapshotLimit = 20
