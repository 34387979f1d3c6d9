package import HTTPServer
package import Primitives
package import SimulatorCore
package import StrictJSON

/// The push service and its phones as a value.
///
/// It opens no socket and reads no clock: requests and the time come from `PushSimulator`, which carries out what phones do.
package struct PushModel: Sendable {
    /// What a run begins with.
    package struct Configuration: Sendable {
        /// Of the control interface.
        package var baseURL = ""
        /// Keys of provider tokens.
        package var keys: [ProviderKey] = []
        /// Ids come from it.
        package var seed: [UInt8]
        /// Networks of other machines that may use the control interface.
        package var testers: [NetworkPrefix] = []
        /// Whether it may listen where other machines can reach it.
        package var allowsOthers = false

        /// A configuration without keys.
        package init(seed: [UInt8]) {
            self.seed = seed
        }
    }

    var configuration: Configuration
    /// The simulated calendar.
    package var clock = SimulatedClock()
    /// Faults that wait for their request.
    package var faults = FaultQueue()
    /// Requests that were answered.
    package var calls = CallLog<PushEntry>()
    /// What a tester may come back to, by name.
    package var snapshots: [String: Snapshot] = [:]
    /// What the real clock showed when the present request came.
    package private(set) var realTime: WallTime
    var checks = PushChecks()
    var switches = PushSwitches()
    var rules: [ReplyRule] = []
    var phones: [Int: Phone] = [:]
    var connections: [Int: ConnectionEntry] = [:]
    private var phoneCount = 0
    var mint: IdentifierMint
    private var requestsSinceGoAway = 0
    private var requestsSinceDrop = 0

    /// A service without phones.
    package init(_ configuration: Configuration, at real: WallTime) {
        self.configuration = configuration
        realTime = real
        mint = IdentifierMint(seed: configuration.seed, purpose: "phones")
        checks.keys = configuration.keys
    }

    /// What a snapshot holds.
    package struct Snapshot: Sendable {
        fileprivate let now: WallTime
        fileprivate let checks: PushChecks
        fileprivate let switches: PushSwitches
        fileprivate let rules: [ReplyRule]
        fileprivate let phones: [Int: Phone]
        fileprivate let faults: FaultQueue
    }

    // MARK: Pushes

    /// A request that was judged.
    struct Step: Sendable {
        var reply: PushReply
        /// The phone that the notification is for, and its topic.
        var delivery: Delivery?
        /// Sent before the answer.
        var goAway: PushSwitches.GoAway?

        /// Nothing comes of the request.
        fileprivate mutating func ignore() {
            reply = PushReply(ending: .ignored)
            delivery = nil
        }
    }

    /// An accepted notification.
    struct Delivery: Sendable {
        let phone: Int
        let topic: String
        let expiresAt: WallTime?
        let isForNowOnly: Bool
    }

    /// Judges a request.
    mutating func receive(_ request: PushRequest) -> Step {
        checks.acceptsUnknownTokens = switches.acceptsUnknownTokens
        let verdict = checks.check(request, now: now)
        let id = verdict.reason == .badMessageId ? nil : request.first("apns-id")
        let answerID = id ?? mint.uuid().uppercased()
        let own = PushReply.answer(
            verdict.reason?.status ?? 200,
            verdict.reason?.rawValue,
            deadSince: verdict.deadSince,
            id: answerID
        )
        var step = Step(reply: PushReply(ending: .answer(own)))
        var isAccepted = verdict.reason == nil
        if let rule = takeRule(for: request.token) {
            step.reply = rule.reply(own: own, id: answerID)
            isAccepted = isAccepted && rule.isAccepting
        }
        if isAccepted, let topic = verdict.topic, let phone = request.token.flatMap({ phoneNumber(of: $0) }) {
            step.delivery = Delivery(
                phone: phone,
                topic: topic,
                expiresAt: verdict.expiresAt,
                isForNowOnly: verdict.isForNowOnly
            )
        }
        applySwitches(to: &step, of: request.stream)
        note(request, verdict, step)
        return step
    }

    private func phoneNumber(of token: String) -> Int? { checks.tokens[token.lowercased().octets]?.phone }

    private mutating func takeRule(for token: String?) -> ReplyRule? {
        if let fault = faults.take("push", byNameOnly: false, account: token?.lowercased()) { return ReplyRule(fault) }
        guard let index = rules.firstIndex(where: { $0.fits(token) }) else { return nil }
        let rule = rules[index]
        if let count = rule.count {
            rules[index].count = count - 1
            if count <= 1 { rules.remove(at: index) }
        }
        return rule
    }

    private mutating func applySwitches(to step: inout Step, of stream: Int) {
        if let goAway = switches.goAway {
            requestsSinceGoAway += 1
            if requestsSinceGoAway >= goAway.requests {
                step.goAway = goAway
                switches.goAway = nil
                requestsSinceGoAway = 0
                if let last = goAway.last, last < stream { step.ignore() }
            }
        }
        if let count = switches.dropAfter {
            requestsSinceDrop += 1
            if requestsSinceDrop >= count {
                step.reply.ending = .drop
                switches.dropAfter = nil
                requestsSinceDrop = 0
            }
        }
    }

    private mutating func note(_ request: PushRequest, _ verdict: PushVerdict, _ step: Step) {
        calls.add(PushEntry(at: now, request, verdict, step.reply))
        connections[request.connection]?.requests += 1
        connections[request.connection]?.violations += verdict.violations
    }

    /// Remembers a connection; the oldest goes first.
    mutating func add(_ connection: ConnectionEntry) {
        connections[connection.number] = connection
        connections[connection.number - PushModel.connectionLimit] = nil
    }

    private static let connectionLimit = 5_000

    // MARK: Phones

    /// Makes a phone.
    ///
    /// - Returns: Its number.
    mutating func addPhone() -> Int {
        phoneCount += 1
        phones[phoneCount] = Phone(number: phoneCount, device: mint.token(), pushToken: newToken(of: phoneCount))
        return phoneCount
    }

    /// A push token that the service knows of from now on.
    mutating func newToken(of phone: Int) -> String {
        let token = mint.token() + mint.token()
        checks.tokens[token.octets] = KnownToken(topics: [], phone: phone)
        return token
    }

    /// A pass of a type is on a phone, so its token is good for that topic.
    mutating func allow(_ topic: String, on phone: Int) {
        guard let token = phones[phone]?.pushToken else { return }
        checks.tokens[token.octets]?.topics.insert(topic.octets)
    }

    /// A phone does not have its token any more.
    ///
    /// - Parameter isReported: Whether the service knows, and says so.
    mutating func retire(_ token: String, isReported: Bool) {
        checks.tokens[token.octets]?.phone = nil
        guard isReported else { return }
        let time = now
        checks.tokens[token.octets]?.unregisteredAt = time
    }

    // MARK: Control

    /// The simulated time.
    package var now: WallTime { clock.time(at: realTime) }

    package mutating func moveTo(_ real: WallTime) {
        realTime = real
    }

    /// Begins anew, but for ids and numbers.
    package mutating func reset() {
        let (mint, connections, count) = (mint, connections, phoneCount)
        self = PushModel(configuration, at: realTime)
        // Ids and numbers go on, so that none comes twice in a run.
        (self.mint, self.connections, phoneCount) = (mint, connections, count)
    }

    /// Checks, switches, answers, phones and faults of now.
    package func snapshot() -> Snapshot {
        Snapshot(now: now, checks: checks, switches: switches, rules: rules, phones: phones, faults: faults)
    }

    /// Goes back to a snapshot.
    package mutating func restore(_ snapshot: Snapshot) {
        (checks, switches, rules) = (snapshot.checks, snapshot.switches, snapshot.rules)
        (phones, faults) = (snapshot.phones, snapshot.faults)
        clock.set(to: snapshot.now, at: realTime)
    }
}

/// A connection of a client, as the control interface shows it.
struct ConnectionEntry: Sendable {
    let number: Int
    let openedAt: WallTime
    let peer: PushPeer
    var closedAt: WallTime?
    var requests = 0
    var openStreams = 0
    var mostStreams = 0
    var violations: [String] = []

    init(_ number: Int, _ peer: PushPeer, at time: WallTime) {
        (self.number, self.peer, openedAt) = (number, peer, time)
    }

    var json: JSONValue {
        [
            "connection": JSONValue(number), "opened": .string(Phone.text(of: openedAt)),
            "closed": JSONValue(closedAt.map { Phone.text(of: $0) }), "requests": JSONValue(requests),
            "openStreams": JSONValue(openStreams), "mostStreams": JSONValue(mostStreams),
            "certificate": .array(peer.certificateTopics.map(JSONValue.string)),
            "complaint": JSONValue(peer.complaint), "violations": .array(violations.map(JSONValue.string)),
        ]
    }
}

/// A request as it was answered.
package struct PushEntry: CallLogEntry {
    /// Its place in the log.
    package var number = 0
    private let time: WallTime
    private let request: PushRequest
    private let verdict: PushVerdict
    private let reply: PushReply

    init(at time: WallTime, _ request: PushRequest, _ verdict: PushVerdict, _ reply: PushReply) {
        (self.time, self.request, self.verdict, self.reply) = (time, request, verdict, reply)
    }

    /// Why the service refuses it by itself; `nil` where it does not.
    var reason: PushReason? { verdict.reason }

    package var json: JSONValue {
        var ending: [JSONMember]
        switch reply.ending {
        case .answer(let answer):
            ending = [
                JSONMember("status", JSONValue(answer.status)),
                JSONMember("answer", .string(String(decoding: answer.body, as: UTF8.self))),
            ]
        case .drop: ending = [JSONMember("dropped", true)]
        case .reset(let code): ending = [JSONMember("resetCode", JSONValue(Int(code)))]
        case .ignored: ending = [JSONMember("ignored", true)]
        }
        return .object(
            [
                JSONMember("number", JSONValue(number)), JSONMember("time", .string(Phone.text(of: time))),
                JSONMember("connection", JSONValue(request.connection)),
                JSONMember("stream", JSONValue(request.stream)),
                JSONMember("certificate", .array(request.peer.certificateTopics.map(JSONValue.string))),
                JSONMember("token", JSONValue(request.token)), JSONMember("topic", JSONValue(verdict.topic)),
                JSONMember("fields", .array(request.fields.map(PushEntry.field))),
                JSONMember("body", .string(String(decoding: request.body, as: UTF8.self))),
                JSONMember("reason", JSONValue(verdict.reason?.rawValue)),
                JSONMember("violations", .array(verdict.violations.map(JSONValue.string))),
            ] + ending
        )
    }

    /// A provider token stays out of the log: it opens the service for an hour.
    private static func field(_ field: SimulatorAnswer.Field) -> JSONValue {
        let isSecret = field.name.octets == "authorization"
        return [.string(field.name), .string(isSecret ? "(\(field.value.utf8.count) bytes)" : field.value)]
    }
}
