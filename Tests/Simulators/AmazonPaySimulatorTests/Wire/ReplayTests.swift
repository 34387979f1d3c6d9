import AmazonPay
import AmazonPaySimulator
import EventIO
import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON
import TestKit
import Testing

/// The requests that were recorded of the vendor's own client and of others, once more on a wire, octet for octet.
///
/// The calendar of the simulator's loop stands at the date of the recording; its timers go on.
///
/// One simulator after the other: hundreds at once would starve each other's timers.
@Suite("A recorded request on a socket", .serialized)
struct ReplayTests {
    private static let signed = VectorFile.cases("request-signing.json", "signed")
    private static let negative = VectorFile.cases("request-signing.json", "negative")

    /// The objects that the recorded requests ask for do not exist here: what comes next is the service's own answer.
    private static let answers: [String: Refusal] = [
        "create-session-jp-envkey": Refusal(status: 201, reason: nil),
        "create-session-jp-sandbox-path": Refusal(status: 201, reason: nil),
        "create-session-jp-live-path": Refusal(status: 201, reason: nil),
        "create-session-jp-live-key": Refusal(status: 201, reason: nil),
        "compact-date-post-idempotency": Refusal(status: 201, reason: nil),
    ]

    @Test func `is there for both algorithms and both kinds of keys`() {
        #expect(Self.signed.count == 38 && Self.negative.count == 28)
        #expect(Set(Self.signed.map { $0.text("algorithm") }).count == 2)
        let recorded = Self.signed.filter { $0.text("origin").contains("vendor client library") }
        #expect(recorded.count == 22)
        let keys = Set(recorded.map { $0.text("publicKeyId") })
        #expect(keys.contains { $0.hasPrefix("SANDBOX-") } && keys.contains { $0.hasPrefix("AFTEST") })
        #expect(Self.signed.contains { $0.text("path").hasSuffix("/") })
    }

    @Test(arguments: signed)
    func `is let through to the service`(vector: VectorCase) async throws {
        let answer = try await Self.replay(vector)
        let expected = Self.answers[vector.text("name")] ?? Refusal(status: 404, reason: "ResourceNotFound")
        #expect(answer.refusal == expected, "\(String(decoding: answer.json.bytes, as: UTF8.self))")
        #expect(answer.warning?.contains("signature") != true)
    }

    @Test(arguments: negative)
    func `of the negative vectors is refused`(vector: VectorCase) async throws {
        let answer = try await Self.replay(vector)
        let expected = vector.value["expect"]
        #expect(answer.status == expected?["status"]?.integer)
        #expect(answer.json["reasonCode"]?.text == expected?["reasonCode"]?.text)
    }

    // MARK: On the wire

    /// A merchant with all keys of the file, as one pair.
    private static var configuration: SimulatorConfiguration {
        let ids = Set(signed.map { $0.text("publicKeyId") }).sorted()
        let merchant = Merchant(
            id: Bench.merchantID,
            storeIDs: [Bench.storeID],
            publicKeys: ids.map { .init(id: $0, pem: TestKeys.merchantPublic) }
        )
        return SimulatorConfiguration(merchants: [merchant], seed: [1])
    }

    private static func replay(_ vector: VectorCase) async throws -> RowAnswer {
        let octets = octets(of: vector)
        return try await withSimulator(configuration, clock: StoppedCalendar(date: vector.clock)) { bench in
            let answer = RawAnswer(try await RawCall.send(octets, to: bench.address, bench.reactor))
            return RowAnswer(
                status: answer.status,
                json: try JSONParser.parse(answer.body),
                location: nil,
                cookie: nil,
                warning: answer.head.split(separator: "\r\n").first { $0.hasPrefix("x-sim-warning:") }.map(String.init)
            )
        }
    }

    /// The request as the client of the vector has sent it.
    private static func octets(of vector: VectorCase) -> [UInt8] {
        let url = vector.text("url")
        let target = url.dropFirst("https://".count).drop { $0 != "/" }
        let request = vector.request
        var text = "\(request.method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        for field in request.fields { text += "\(field.name): \(field.value)\r\n" }
        if vector.value["body"]?.text != nil || request.method == "POST" {
            text += "Content-Length: \(request.body.count)\r\n"
        }
        return Array((text + "\r\n").utf8) + request.body
    }
}

/// A clock whose calendar stands still while the loop's timers go on.
struct StoppedCalendar: LoopClock {
    let date: WallTime
    private let machine = SystemClock()

    init(date: WallTime) {
        self.date = date
    }

    var runsByItself: Bool { true }

    func now() -> WallTime { date }

    func monotonicNow() -> MonotonicTime { machine.monotonicNow() }
}

extension VectorCase {
    /// The clock that the vector names, or else the date of its request, in either of two spellings.
    fileprivate var clock: WallTime {
        let field = value["headers"]?.members.first { $0.name.lowercased() == "x-amz-pay-date" }
        let digits = (value["verifierClock"]?.text ?? field?.value.text ?? "").filter(\.isNumber)
        guard digits.count == 14 else { return Bench.start }
        var text = ""
        for (place, digit) in digits.enumerated() {
            text += [4: "-", 6: "-", 8: "T", 10: ":", 12: ":"][place] ?? ""
            text.append(digit)
        }
        return CalendarDate.time(of: text + "Z") ?? Bench.start
    }
}
