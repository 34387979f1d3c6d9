import CFuzzer
import Cryptography
import DeviceAttestation
import Primitives

/// What Apple's DeviceCheck service answers, tokens of devices, and files of policies.
///
/// The first byte selects the reader; in front of an answer the second one selects status and call.
let deviceTarget = FuzzTarget(
    name: "device",
    examine: { unit in
        guard let selection = Selection(unit, of: 4) else { return }
        switch selection.number {
        case 0: examineAnswer(selection.rest)
        case 1: examineMember(selection.rest)
        case 2: examineToken(selection.rest)
        default: examinePolicies(selection.rest)
        }
    },
    read: { unit in
        guard let selection = Selection(unit, of: 4) else { return }
        switch selection.number {
        case 0: _ = DeviceCheckAnswer(to: .query, status: 200, content: selection.rest)
        case 1: _ = DeviceCheckAnswer(to: .query, status: 400, content: selection.rest)
        case 2: _ = try? DeviceToken(text(selection.rest))
        default: _ = try? DevicePolicies.read(selection.rest)
        }
    }
)

// MARK: - Answers

/// As the specification's table has them; one that is not here cannot be read.
private let byStatus: [Int: DeviceCheckAnswer] = [
    403: .credentials, 405: .badRequest, 411: .badRequest, 413: .badRequest, 415: .badRequest, 429: .throttled,
    500: .unavailable, 502: .unavailable, 503: .unavailable, 599: .unavailable,
]
private let statuses = [200, 200, 200, 400, 400, 401, 100, 201, 204, 301, 404, 422, 600] + byStatus.keys.sorted()
private let neverSet = [Array("failed to find bit state".utf8), Array("bit state not found".utf8)]

private func examineAnswer(_ unit: [UInt8]) {
    guard let selection = Selection(unit, of: statuses.count * 3) else { return }
    let status = statuses[selection.number / 3]
    let call = DeviceCheckCall.allCases[selection.number % 3]
    let content = selection.rest
    let answer = DeviceCheckAnswer(to: call, status: status, content: content)
    check(DeviceCheckAnswer.outcomes.contains { $0.octets == answer.outcome.octets }, "metrics know \(answer.outcome)")
    let plain = plainText(content)
    switch (status, call) {
    case (200, .query): examineRecord(answer, content, plain)
    case (200, _): check(answer == .ok, "success is success")
    case (400, _):
        let (device, authorization) = ("device token", "authorization token")
        let names = [device, authorization].map { plain.firstRange(of: Array($0.utf8)) != nil }
        check(answer != .badDeviceToken || names[0] || content.contains(0x5C), "a token is blamed by its name alone")
        check(answer == .badDeviceToken || answer == .credentials || answer == .badRequest, "whose fault 400 is")
        // In an object one text counts.
        guard plain.first != UInt8(ascii: "{") else { return }
        check((answer == .badDeviceToken) == names[0], "a text that names the token blames it")
        check((answer == .credentials) == (!names[0] && names[1]), "a text that names ours blames us")
    case (401, _):
        check(answer == .credentials || answer == .credentialsExpired, "401 is ours")
        guard plain.first != UInt8(ascii: "{") else { return }
        let isExpired = plain == Array("authorization token expired".utf8)
        check((answer == .credentialsExpired) == isExpired, "a token is too old by that text alone")
    default: check(answer == byStatus[status] ?? .unreadable, "\(status) means the same whatever stands in it")
    }
}

/// What comes with 200 for a query.
private func examineRecord(_ answer: DeviceCheckAnswer, _ content: [UInt8], _ plain: [UInt8]) {
    let canonical = JSONGrammar.canonical(content, depth: 8) ?? []
    if neverSet.contains(plain) { return check(answer == .record(.neverSet), "a device that was never set") }
    switch answer {
    case .record(.neverSet):
        check(
            canonical.firstRange(of: Array(#""responseMessage":"#.utf8)) != nil,
            "never set, by a message: \(shown(content))"
        )
        check(neverSet.contains { plainText(canonical).firstRange(of: $0) != nil }, "and its whole text")
    case .record(.bits(let bits, let month)):
        for (name, bit) in [("bit0", bits.bit0), ("bit1", bits.bit1)] {
            check(
                canonical.firstRange(of: Array("\"\(name)\":\(bit)".utf8)) != nil,
                "\(name) stands in \(shown(content))"
            )
        }
        guard let month else { return }
        let member = Array(#""last_update_time":"\#(month.text)""#.utf8)
        check(canonical.firstRange(of: member) != nil, "the month stands in \(shown(content))")
    default: check(answer == .unreadable, "what cannot be read says nothing")
    }
}

/// A unit as one more member beside the bits: whatever is JSON is skipped, anything else spoils them.
private func examineMember(_ unit: [UInt8]) {
    let content = Array(#"{"bit0":true,"bit1":false,"more":"#.utf8) + unit + Array("}".utf8)
    guard unit.count(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }) < 100
    else { return }
    let isRead = JSONGrammar.canonical(content, depth: 8) != nil
    let answer = DeviceCheckAnswer(to: .query, status: 200, content: content)
    let bits = DeviceBits(bit0: true, bit1: false)
    guard case .record(let record) = answer else {
        return check(!isRead, "more members change nothing: \(shown(content))")
    }
    check(isRead && record.bits == bits, "bits come from JSON alone: \(shown(content))")
}

/// Small letters, without white space around them.
private func plainText(_ content: [UInt8]) -> [UInt8] {
    let blanks: Set<UInt8> = [0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20]
    let trimmed = content.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed()
    return trimmed.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 0x20 : $0 }
}

// MARK: - Tokens

private func examineToken(_ unit: [UInt8]) {
    let text = text(unit)
    if let token = try? DeviceToken(text) {
        check(token.reveal().octets == text.octets, "a token is sent as it came")
        check(text.utf8.count % 4 == 0, "with its padding")
        check(text.utf8.allSatisfy { RequestGrammar.isAlphanumeric($0) || "+/=".utf8.contains($0) }, "in one alphabet")
        for blank in ["\n", " ", "="] {
            check(
                (try? DeviceToken(text + blank)) == nil && (try? DeviceToken(blank + text)) == nil,
                "and nothing else"
            )
        }
    }
    let made = try? DeviceToken(Base64.encode(unit))
    check((made != nil) == DeviceToken.usualBounds.contains(unit.count), "any bytes are a token, by their number")
}

// MARK: - Policies

private let present = DeviceMonth(WallTime(seconds: 1_795_900_000))

private func examinePolicies(_ unit: [UInt8]) {
    let policies: DevicePolicies
    do throws(DevicePolicyError) {
        policies = try DevicePolicies.read(unit)
    } catch {
        check(!error.problems.isEmpty && error.problems.count <= 101, "what is wrong is said")
        // A name of the file stands in its sentence, so the sentence must be safe in a log.
        check(error.problems.allSatisfy { $0.utf8.allSatisfy { $0 >= 32 && $0 < 127 } }, "in words: \(error.problems)")
        return
    }
    check(JSONGrammar.canonical(unit, depth: 8) != nil && policies.version > 0, "a file is JSON, and has a number")
    let records: [DeviceRecord] =
        [.neverSet] + DeviceBits.all.flatMap { [.bits($0, lastUpdate: nil), .bits($0, lastUpdate: present)] }
    for policy in policies.policies.prefix(8) {
        for record in records { examine(policy, record, policies) }
        for why in DeviceUnknown.allCases {
            let decision = policies.decide(policy, on: DeviceEvidence(.unknown(why), month: present))
            check(decision.write == nil && decision.queuedWrite == nil, "what is not known is not written")
            check(decision.verdict != .allow || why != .otherEnvironment, "another environment opens nothing")
            check(
                decision.verdict != .allow || why != .unsupported || !policy.isScarce,
                "no token opens nothing scarce"
            )
        }
    }
}

private func examine(_ policy: DevicePolicy, _ record: DeviceRecord, _ policies: DevicePolicies) {
    for queued in [nil, DeviceState.paid, .blocked] {
        for hasTaken in [false, true] {
            let evidence = DeviceEvidence(.record(record), queued: queued, hasTaken: hasTaken, month: present)
            let decision = policies.decide(policy, on: evidence)
            let before = policies.meaning.state(of: record)
            for write in [decision.write, decision.queuedWrite] {
                check(write.map { $0.state >= before } ?? true, "a mark is never lowered")
            }
            check(decision.verdict != .allow || !policy.isOncePerAccount || !hasTaken, "once for an account is once")
            guard decision.verdict == .allow, let state = decision.state else { continue }
            check(policy.accepted.contains(state), "\(state) is accepted")
        }
    }
}
