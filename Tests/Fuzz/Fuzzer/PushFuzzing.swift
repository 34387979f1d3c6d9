import HTTPCore
import Primitives

@testable import HTTP2
@testable import Wallet

/// What a push service sends: frames into a client's session, and the content of its answers.
///
/// The first byte selects the reader. A connection is a `FrameScript`, read behind requests that are under way.
let pushTarget = FuzzTarget(
    name: "push",
    examine: { unit in
        guard let selection = Selection(unit, of: 2) else { return }
        if selection.number == 0 { examineFrames(selection.rest) } else { examineReason(selection.rest) }
    },
    read: { unit in
        guard let selection = Selection(unit, of: 2) else { return }
        if selection.number == 0 {
            let bytes = FrameScript(selection.rest).bytes
            _ = ServedConnection(bytes, pieces: bytes.count)
        } else {
            _ = PushAnswer(InboundResponse(status: 410, body: selection.rest))
        }
    }
)

// MARK: - Frames

private func examineFrames(_ unit: [UInt8]) {
    let script = FrameScript(unit)
    let whole = ServedConnection(script.bytes, pieces: script.bytes.count)
    let cut = ServedConnection(script.bytes, pieces: 5)
    for connection in [whole, cut] {
        for (stream, answer) in connection.answers { judge(answer, on: stream, in: script, connection) }
    }
    // The library counts a head in several frames again for each piece that it comes in; and what follows a reset means something else
    // once that has left.
    guard !script.isRaw, cut.isSound, whole.isSound else { return }
    check(cut.outcomes == whole.outcomes, "small pieces change nothing")
}

/// An answer that came through is the one that is written.
private func judge(_ answer: InboundResponse, on stream: Int32, in script: FrameScript, _ connection: ServedConnection)
{
    check((200...599).contains(answer.status), "an answer has a status that ends it")
    check(answer.body.count <= ServedConnection.limits.bodyBytes, "content has a limit")
    let size = answer.fields.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count + 32 }
    // An octet that is no UTF-8 becomes a character of three.
    check(size <= 3 * ServedConnection.limits.headBytes, "fields have a limit")
    guard !script.isRaw, !script.hasOtherAnswers else { return }
    guard let written = script.answers[stream] else { return check(false, "an answer is written by somebody") }
    check(written.isEnded, "an answer has an end")
    check(answer.body == written.content, "content comes through as it is written")
    let statuses = written.fields.filter { text($0.name) == ":status" }.map { text($0.value) }
    check(statuses.last == "\(answer.status)", "the last status counts")
    // What is no UTF-8 is read as if it were.
    let words = written.fields.map { "\(text($0.name)) \(text(RequestGrammar.trimmed($0.value)))" }
    for (name, value) in answer.fields {
        check(
            words.contains("\(name) \(text(RequestGrammar.trimmed(Array(value.utf8))))"),
            "a field is written: \(name)"
        )
    }
}

/// What a session with requests under way made of bytes.
private struct ServedConnection {
    static let limits: HTTP2ClientLimits = {
        var limits = HTTP2ClientLimits()
        limits.headBytes = 512
        limits.bodyBytes = 256
        return limits
    }()
    private static let requests = 6

    private(set) var answers: [Int32: InboundResponse] = [:]
    /// How each request ended: its status, or the code of its failure.
    private(set) var outcomes: [Int32: String] = [:]
    private var begun: Set<Int32> = []
    /// Whether nothing that came was wrong.
    var isSound: Bool { !isLost && outcomes.values.allSatisfy { Int($0) != nil || $0 == "refused" } }
    private var isLost = false

    /// - Parameter bytes: SETTINGS, on which requests begin, and all else behind.
    init(_ bytes: [UInt8], pieces: Int) {
        guard let session = try? HTTP2ClientSession(ServedConnection.limits, at: 0) else { return }
        var output: [UInt8] = []
        let settings = 9
        guard (try? session.receive(Array(bytes.prefix(settings)).span, at: 0)) != nil else { return }
        for _ in 0..<ServedConnection.requests {
            if let stream = session.submit(ServedConnection.request) { begun.insert(stream) }
        }
        check(begun.count == ServedConnection.requests, "requests begin behind the settings")
        check(session.send(into: &output, upTo: 1 << 20), "what is to be said at first can be sent")
        let first = output.count
        var start = settings
        while start < bytes.count {
            let end = min(bytes.count, start + pieces)
            let isOpen = (try? session.receive(Array(bytes[start..<end]).span, at: 0)) != nil
            start = end
            while let event = session.nextEvent() { take(event, session) }
            let isAlive = session.send(into: &output, upTo: 1 << 20)
            while let event = session.nextEvent() { take(event, session) }
            check(session.openStreams + outcomes.count == begun.count, "a request is under way, or is over")
            isLost = !isOpen || !isAlive || session.isOver
            if isLost { break }
        }
        // As the connection ends them.
        if isLost { for stream in begun where outcomes[stream] == nil { outcomes[stream] = "connectionLost" } }
        check(output.count - first <= 4 * bytes.count + 1_024, "a server cannot have more sent than it sends itself")
        check((0...ServedConnection.limits.streams).contains(session.room), "room is a number of requests")
    }

    private mutating func take(_ event: HTTP2ClientEvent, _ session: HTTP2ClientSession) {
        switch event {
        case .over(let stream, let outcome):
            check(begun.contains(stream) && outcomes[stream] == nil, "a request is over once")
            switch outcome {
            case .success(let answer):
                answers[stream] = answer
                outcomes[stream] = "\(answer.status)"
            case .failure(let error):
                outcomes[stream] = "\(error.code)"
                check(error.detail.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "a failure is fit for the log")
            }
        case .goAway(let notice):
            check(session.room == 0, "nothing begins behind the end")
            check(notice.reason.utf8.count <= 512, "a reason has a limit")
            check(notice.reason.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "a reason is fit for the log")
        case .pong: break
        }
    }

    private static let request = HTTP2Request(
        method: "POST",
        authority: "push.test",
        path: "/3/device/00ff",
        fields: [HTTP2Request.Field("apns-topic", "pass.test", isIndexed: true)],
        body: Array("{}".utf8)
    )
}

// MARK: - Reasons

private func examineReason(_ body: [UInt8]) {
    let stored = WallTime(seconds: 1_700_000_000)
    let answers = [200, 400, 403, 410, 429, 500, 999].map { PushAnswer(InboundResponse(status: $0, body: body)) }
    for answer in answers {
        check(answer.reason.map { $0.utf8.allSatisfy(RequestGrammar.isAlphanumeric) } ?? true, "a reason is a word")
        check(answer.deadSince.map { $0.seconds >= 0 } ?? true, "a time is none before 1970")
        if case .drop = answer.action(tokenStored: stored) {
            check([400, 403, 410].contains(answer.status), "only a refusal of the token lets it go")
        }
    }
    check(answers[0].action(tokenStored: stored) == .done, "what was taken is done, whatever is said of it")
    guard let reason = answers[3].reason else { return }
    guard let canonical = JSONGrammar.canonical(body) else { return check(false, "a reason stands in strict JSON") }
    check(JSONGrammarMembers(canonical).texts(["reason"]) == [Array(reason.utf8)], "a reason is what is written")
    guard let since = answers[3].deadSince else { return }
    check(
        (answers[3].action(tokenStored: stored) == .keep) == (stored.seconds * 1_000_000 >= since.microseconds),
        "a token that is newer than its end stays"
    )
}
