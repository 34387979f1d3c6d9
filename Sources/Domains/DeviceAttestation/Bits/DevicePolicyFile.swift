import Primitives
import StrictJSON

/// Why a file of policies is refused: everything that is wrong with it.
package struct DevicePolicyError: Error, Sendable, Equatable {
    /// A sentence for each, with its place in the file.
    package let problems: [String]
}

extension DevicePolicies {
    /// The rules of a file.
    ///
    /// - Parameter bytes: An object of JSON; `docs/device-policies.md` says what is in it.
    /// - Throws: All problems at once.
    package static func read(_ bytes: [UInt8]) throws(DevicePolicyError) -> DevicePolicies {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONParser.parse(bytes, depth: 8, values: 4_096)
        } catch {
            throw DevicePolicyError(problems: ["the file: \(error)"])
        }
        var reader = DevicePolicyReader()
        let policies = reader.policies(value)
        guard reader.problems.isEmpty else { throw DevicePolicyError(problems: reader.problems) }
        return policies
    }
}

/// Reads a file to its end, whatever is wrong on the way.
private struct DevicePolicyReader {
    private(set) var problems: [String] = []

    private static let versions = 1...1_000_000
    private static let months = 1...1_200
    private static let most = 64

    mutating func policies(_ value: JSONValue) -> DevicePolicies {
        take(value, at: "the file", names: ["version", "meaning", "events", "policies"])
        let version = number(value["version"], at: "version", in: Self.versions, isNeeded: true) ?? 1
        let meaning = value["meaning"].map { self.meaning($0) } ?? .usual
        let events = value["events"].map { self.events($0, meaning) } ?? DevicePolicies.usualEvents
        let members = value["policies"]?.members ?? []
        if members.isEmpty { complain("policies", "no object with a policy") }
        if members.count > Self.most { complain("policies", "more than \(Self.most)") }
        let list = members.prefix(Self.most).map { policy($0, meaning) }
        return DevicePolicies(version: version, meaning: meaning, policies: list, events: events)
    }

    // MARK: The table

    private mutating func meaning(_ value: JSONValue) -> DeviceMeaning {
        take(value, at: "meaning", names: ["version", "states"])
        let version = number(value["version"], at: "meaning.version", in: Self.versions, isNeeded: true)
        var names: [DeviceBits: DeviceState] = [:]
        var isWhole = true
        for (index, row) in (value["states"]?.elements ?? []).enumerated() {
            let place = "meaning.states[\(index)]"
            take(row, at: place, names: ["bit0", "bit1", "state"])
            let name = state(row["state"], at: "\(place).state")
            guard let bit0 = row["bit0"]?.flag, let bit1 = row["bit1"]?.flag else {
                complain(place, "needs bit0 and bit1, each true or false")
                isWhole = false
                continue
            }
            guard let name else {
                isWhole = false
                continue
            }
            if name == .new { complain("\(place).state", "new is a device whose bits were never set") }
            if names.updateValue(name, forKey: DeviceBits(bit0: bit0, bit1: bit1)) != nil {
                complain(place, "these bits stand above already")
            }
        }
        let list = DeviceBits.all.compactMap { names[$0] }
        if isWhole, list.count < DeviceBits.all.count {
            complain("meaning.states", "needs a row for each of the four patterns of bits")
        } else if isWhole, !list.contains(.known) {
            complain("meaning.states", "no pattern stands for known, which a reset writes")
        }
        return version.flatMap { DeviceMeaning(version: $0, names: list) } ?? .usual
    }

    private mutating func events(_ value: JSONValue, _ meaning: DeviceMeaning) -> [DevicePolicies.Event] {
        guard case .object(let members) = value else {
            complain("events", "not an object")
            return []
        }
        if members.count > Self.most { complain("events", "more than \(Self.most)") }
        return members.prefix(Self.most).compactMap { member in
            let place = "events.\(name(member.name, in: "events"))"
            let mark = mark(member.value, at: place, meaning)
            return mark.map { DevicePolicies.Event(name: member.name, mark: $0) }
        }
    }

    // MARK: A policy

    private mutating func policy(_ member: JSONMember, _ meaning: DeviceMeaning) -> DevicePolicy {
        let (place, value) = ("policies.\(name(member.name, in: "policies"))", member.value)
        let names = [
            "accept", "refuse", "unavailable", "unsupported", "write", "ageAfterMonths", "everyMonths",
            "oncePerAccount",
        ]
        take(value, at: place, names: names)
        let accepted = accepted(value, at: place)
        let marksOnly = value["accept"] == nil && value["refuse"] == nil
        let policy = DevicePolicy(
            purpose: member.name,
            accepted: accepted,
            unavailable: fallback(value["unavailable"], at: "\(place).unavailable", isNeeded: !marksOnly),
            unsupported: fallback(value["unsupported"], at: "\(place).unsupported", isNeeded: !marksOnly),
            mark: value["write"].flatMap { mark($0, at: "\(place).write", meaning) },
            ageAfterMonths: number(value["ageAfterMonths"], at: "\(place).ageAfterMonths", in: Self.months),
            everyMonths: number(value["everyMonths"], at: "\(place).everyMonths", in: Self.months),
            isOncePerAccount: flag(value["oncePerAccount"], at: "\(place).oncePerAccount") ?? false
        )
        if marksOnly, value["write"] == nil { complain(place, "decides nothing and writes nothing") }
        if policy.everyMonths != nil, value["write"] == nil {
            complain("\(place).everyMonths", "counts from the last change, and the policy writes none")
        }
        if policy.isScarce, policy.unsupported.allows {
            complain("\(place).unsupported", "any app can say that it has no token, so this must be deny or later")
        }
        return policy
    }

    private mutating func accepted(_ value: JSONValue, at place: String) -> Set<DeviceState> {
        let accepted = states(value["accept"], at: "\(place).accept")
        let refused = states(value["refuse"], at: "\(place).refuse")
        switch (accepted, refused) {
        case (nil, nil): return []
        case (let accepted?, nil):
            if accepted.isEmpty { complain("\(place).accept", "names no state") }
            return accepted
        case (nil, let refused?):
            let rest = Set(DeviceState.allCases).subtracting(refused)
            if rest.isEmpty { complain("\(place).refuse", "names every state") }
            return rest
        case (let accepted?, let refused?):
            for state in DeviceState.allCases where accepted.contains(state) == refused.contains(state) {
                let places = accepted.contains(state) ? "in both of" : "in neither of"
                complain(place, "\(state.rawValue) stands \(places) accept and refuse")
            }
            return accepted
        }
    }

    // MARK: Values

    private mutating func complain(_ place: String, _ problem: String) {
        if problems.count < 100 { problems.append("\(place): \(problem)") }
    }

    private mutating func take(_ value: JSONValue, at place: String, names: [String]) {
        guard case .object(let members) = value else { return complain(place, "not an object") }
        for member in members where !names.contains(where: { $0.octets == member.name.octets }) {
            complain(place, "\(printable(member.name)) is not known; there are \(names.joined(separator: ", "))")
        }
    }

    /// The name of a purpose or an event, for a place; complains about one that callers cannot send.
    private mutating func name(_ name: String, in place: String) -> String {
        let isGood = name.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
        }
        if !isGood || !(1...40).contains(name.utf8.count) {
            complain(place, "\(printable(name)) is no name of up to 40 small letters, digits and hyphens")
        }
        return printable(name)
    }

    private func printable(_ text: String) -> String {
        let octets = text.utf8.prefix(40).map { $0 > 0x20 && $0 < 0x7F ? $0 : UInt8(ascii: "?") }
        return String(decoding: octets, as: UTF8.self)
    }

    private mutating func number(
        _ value: JSONValue?,
        at place: String,
        in range: ClosedRange<Int>,
        isNeeded: Bool = false
    ) -> Int? {
        guard let value else {
            if isNeeded { complain(place, "missing") }
            return nil
        }
        guard let number = value.integer, range.contains(number) else {
            complain(place, "not a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    private mutating func flag(_ value: JSONValue?, at place: String) -> Bool? {
        if let value, value.flag == nil { complain(place, "not true or false") }
        return value?.flag
    }

    private mutating func state(_ value: JSONValue?, at place: String) -> DeviceState? {
        let state = value?.text.flatMap { DeviceState(word: $0.octets) }
        if state == nil {
            complain(place, "not one of \(DeviceState.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return state
    }

    /// A state that is written.
    private mutating func mark(_ value: JSONValue, at place: String, _ meaning: DeviceMeaning) -> DeviceState? {
        guard let state = state(value, at: place) else { return nil }
        if !meaning.has(state) { complain(place, "no bits stand for \(state.rawValue)") }
        return state
    }

    private mutating func states(_ value: JSONValue?, at place: String) -> Set<DeviceState>? {
        guard let value else { return nil }
        guard case .array(let elements) = value else {
            complain(place, "not a list of states")
            return []
        }
        var states: Set<DeviceState> = []
        for (index, element) in elements.prefix(Self.most).enumerated() {
            guard let state = state(element, at: "\(place)[\(index)]") else { continue }
            if !states.insert(state).inserted { complain(place, "\(state.rawValue) stands there twice") }
        }
        return states
    }

    private mutating func fallback(_ value: JSONValue?, at place: String, isNeeded: Bool) -> DevicePolicy.Fallback {
        guard let value else {
            if isNeeded { complain(place, "missing") }
            return .later
        }
        guard let fallback = value.text.flatMap({ DevicePolicy.Fallback(word: $0.octets) }) else {
            complain(place, "not one of \(DevicePolicy.Fallback.allCases.map(\.rawValue).joined(separator: ", "))")
            return .later
        }
        return fallback
    }
}
