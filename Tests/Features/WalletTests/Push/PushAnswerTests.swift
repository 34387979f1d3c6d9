import EventIO
import HTTPCore
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import Wallet

/// One row of the test vectors for what a push service answers.
struct AnswerCase: Sendable, CustomTestStringConvertible {
    let value: JSONValue

    var testDescription: String {
        let what = value["event"]?.text ?? "\(value["status"]?.integer ?? 0) \(reason)"
        return what + " " + (value["age"]?.text ?? "")
    }

    var status: Int? { value["status"]?.integer }
    var reason: String { value["body"]?["reason"]?.text ?? "" }
    var action: String { value["action"]?.text ?? "" }
    var seconds: Int { value["seconds"]?.integer ?? 0 }
    var needsNewConnection: Bool { value["note"]?.text == "on a new connection" }

    /// As it comes over the wire.
    var body: String { value["body"].map { $0.text ?? $0.description } ?? "" }

    /// Relative to the timestamp.
    var tokenStored: WallTime {
        let timestamp = WallTime(seconds: 1_795_251_600)
        return value["age"]?.text?.contains("again after") == true ? timestamp + .seconds(1) : timestamp + .seconds(-1)
    }

    static let all: [AnswerCase] = {
        let path = ProjectFolder.vectors("WalletTests", on: "Features") + "/Push/apns-cases.json"
        let value = (try? Files.read(path, limit: 1 << 20)).flatMap { try? JSONParser.parse($0) }
        return (value?["cases"]?.elements ?? []).map { AnswerCase(value: $0) }
    }()

    static let answers = all.filter { $0.status != nil }
    static let events = all.filter { $0.status == nil }
}

@Suite("An answer of the push service")
struct PushAnswerTests {
    @Test func `has all its cases`() {
        #expect(AnswerCase.answers.count == 37 && AnswerCase.events.count == 5)
    }

    @Test(arguments: AnswerCase.answers)
    func `leads to the action of the vectors`(row: AnswerCase) throws {
        let status = try #require(row.status)
        let answer = PushAnswer(InboundResponse(status: status, body: Array(row.body.utf8)))
        switch (answer.action(tokenStored: row.tokenStored), row.action) {
        case (.done, "done"), (.keep, "keep"), (.renewToken, "remint_once"), (.halt, "halt"): break
        case (.drop(let isSuspect), "drop"): #expect(isSuspect == (row.value["guard"] != nil))
        case (.again(let pause), "retry_after"):
            #expect(pause.base == .seconds(row.seconds) && pause.needsNewConnection == row.needsNewConnection)
        case (.keepOlderToken(let pause), "retry_after"):
            #expect(row.reason == "TooManyProviderTokenUpdates" && pause.base == .seconds(row.seconds))
        case (let action, _): Issue.record("\(action)")
        }
    }

    @Test(arguments: AnswerCase.events)
    func `that does not come leads to the pause of the vectors`(row: AnswerCase) throws {
        let event = try #require(row.value["event"]?.text)
        let code: HTTPExchangeError.Code =
            switch event {
            case _ where event.contains("connect refused"): .connectFailed
            case _ where event.contains("connection lost"): .connectionLost
            case _ where event.contains("request timeout"): .timedOut
            default: .refused
            }
        guard case .again(let pause) = PushAction(HTTPExchangeError(code)) else {
            Issue.record("not sent again")
            return
        }
        #expect(pause.base >= .seconds(row.seconds) && pause.base < .seconds(row.seconds + 1))
        #expect(!pause.doubles)
    }

    @Test(arguments: [
        (403, "Something"), (404, ""), (405, ""), (413, ""),
    ])
    func `for which no data is to blame halts, whatever its reason`(status: Int, reason: String) {
        let answer = PushAnswer(InboundResponse(status: status, body: Array("{\"reason\":\"\(reason)\"}".utf8)))
        #expect(answer.action(tokenStored: WallTime(seconds: 0)) == .halt)
    }

    @Test(arguments: [
        "", "{", "[1]", "\"BadTopic\"", "{\"reason\":1}", "{\"reason\":\"BadTopic\\u0000\"}", "{\"reason\":\"a b\"}",
    ])
    func `that cannot be read has no reason`(body: String) {
        let answer = PushAnswer(InboundResponse(status: 400, body: Array(body.utf8)))
        #expect(answer.reason == nil && answer.action(tokenStored: WallTime(seconds: 0)) == .keep)
    }

    @Test(arguments: ["-1", "9e99", "99999999999999999999", "253402300800000", "\"1\"", "1.5"])
    func `with a timestamp that is none drops as without one`(timestamp: String) {
        let body = "{\"reason\":\"Unregistered\",\"timestamp\":\(timestamp)}"
        let answer = PushAnswer(InboundResponse(status: 410, body: Array(body.utf8)))
        #expect(answer.deadSince == nil)
        #expect(answer.action(tokenStored: WallTime(seconds: 0)) == .drop(isSuspect: false))
    }

    @Test func `that asks for patience gets twice as much each time, eight times and for a day`() {
        let random = SeededRandom(seed: 1)
        let pause = PushPause(base: .seconds(60), doubles: true)
        for attempts in 0..<7 {
            let bound = Duration.seconds(60 << attempts)
            let found = pause.pause(attempts: attempts, age: .zero, random: random)
            #expect(found.map { $0 >= bound && $0 <= bound * 1.2 } == true)
        }
        #expect(pause.pause(attempts: 7, age: .zero, random: random) == nil)
        #expect(pause.pause(attempts: 0, age: .seconds(86_400), random: random) == nil)
        #expect(PushPause(base: .seconds(1)).pause(attempts: 99, age: .seconds(86_400), random: random) == .seconds(1))
    }
}

@Suite("A run of pushes")
struct PushRunTests {
    @Test(arguments: [(19, 0, false), (0, 20, false), (4, 16, false), (5, 15, true), (20, 0, true), (200, 801, false)])
    func `is broken by more than a fifth of bad tokens in at least twenty`(bad: Int, good: Int, isBroken: Bool) {
        var run = PushRun()
        for _ in 0..<bad { run.count(isSuspect: true) }
        for _ in 0..<good { run.count(isSuspect: false) }
        #expect(run.isBroken == isBroken)
    }
}
