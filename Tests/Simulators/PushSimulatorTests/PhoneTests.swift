import EventIO
import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON
import TestKit
import Testing

@testable import PushSimulator

@Suite("Phones")
struct PhoneTests {
    private static let date = "Sat, 21 Nov 2026 09:00:00 GMT"

    // MARK: Adding

    @Test func `registers a pass that is added`() async throws {
        try await withPush { bench in
            let phone = try await bench.registered()
            #expect(phone.cards.map(\.isRegistered) == [true])
            let request = try #require(bench.shop.requests.first)
            #expect(bench.shop.requests.count == 1)
            #expect(request.method + " " + request.path == "POST " + bench.registration(phone))
            #expect(request.first("Authorization") == "ApplePass k3Jv0pZ8wQ2xT7bN5mYc1LrS")
            #expect(try JSONParser.parse(request.body) == ["pushToken": .string(phone.pushToken)])
            #expect(phone.device.utf8.count == 32)
            #expect(bench.shop.lines.isEmpty)
        }
    }

    @Test func `opens a link, and refuses what is no pass by its type`() async throws {
        try await withPush { bench in
            try await bench.control("POST", "/phones")
            var answer = PushBench.version(PushBench.pass(points: 1, webService: false), Self.date)
            bench.shop.answers["GET /card?k=1"] = [answer]
            let link: JSONValue = ["url": .string(ScriptedShop.origin + "/card?k=1")]
            try await bench.control("POST", "/phones/1/add", link)
            #expect(try bench.phone().cards.map(\.lastModified) == [Self.date])
            answer.fields[0].1 = "application/zip"
            bench.shop.answers["GET /card?k=1"] = [answer]
            let refusal = try await bench.ask("POST", "/phones/1/add", link.bytes)
            #expect(refusal.status == 409)
            #expect(try JSONParser.parse(refusal.body)["error"] == "The link gives no pass, but application/zip.")
        }
    }

    @Test func `refuses a file that its judge refuses`() async throws {
        try await withPush { bench in
            try await bench.control("POST", "/phones")
            let type = (name: HTTPFieldName.contentType, value: "application/vnd.apple.pkpass")
            let answer = try await bench.ask("POST", "/phones/1/add", [1, 2], fields: [type])
            #expect(answer.status == 409)
            #expect(try bench.phone().cards.isEmpty)
            #expect(try bench.phone().events.last?.kind == .refused)
        }
    }

    @Test func `a pass with the same number takes the place of the other`() async throws {
        try await withPush { bench in
            _ = try await bench.registered()
            try await bench.add(PushBench.pass(points: 5, webService: false))
            let cards = try bench.phone().cards
            #expect(cards.map { $0.fields(.primary, in: []).map(\.value) } == [["5"]])
        }
    }

    @Test func `registers again after one, two and four seconds while the server fails`() async throws {
        let clock = ManualClock()
        try await withPush(clock: clock) { bench in
            try await bench.control("POST", "/phones")
            let phone = try bench.phone()
            bench.shop.answers["POST " + bench.registration(phone)] = [
                InboundResponse(status: 500), nil, InboundResponse(status: 503), InboundResponse(status: 201),
            ]
            try await bench.add(PushBench.pass(points: 0))
            for (count, seconds) in [(2, 1), (3, 2), (4, 4)] {
                #expect(bench.shop.requests.count == count - 1)
                clock.advance(by: .milliseconds(seconds * 1_000 - 1), waking: bench.reactor.executor)
                for _ in 0..<5 { await bench.reactor.nextTurn() }
                #expect(bench.shop.requests.count == count - 1)
                clock.advance(by: .milliseconds(1), waking: bench.reactor.executor)
                #expect(await bench.shop.waitFor(count))
                #expect(await waitUntil(bench.reactor) { bench.shop.lines.count >= min(count, 3) })
                // The next try is planned when the line is posted.
                for _ in 0..<5 { await bench.reactor.nextTurn() }
            }
            #expect(await waitUntil(bench.reactor) { (try? bench.phone().cards[0].isRegistered) == true })
            #expect(
                bench.shop.lines.first
                    == "[2026-01-02 12:04:05 +0900] Register task (for device \(phone.device), pass type "
                    + "\(PushBench.topic), serial number \(PushBench.serial); with web service url "
                    + "\(ScriptedShop.origin)/) encountered error: Unexpected response code 500"
            )
        }
    }

    @Test func `does not register again after an answer that blames it`() async throws {
        let clock = ManualClock()
        try await withPush(clock: clock) { bench in
            try await bench.control("POST", "/phones")
            let phone = try bench.phone()
            bench.shop.answers["POST " + bench.registration(phone)] = [InboundResponse(status: 401)]
            try await bench.add(PushBench.pass(points: 0))
            clock.advance(by: .seconds(3_600), waking: bench.reactor.executor)
            for _ in 0..<20 { await bench.reactor.nextTurn() }
            #expect(bench.shop.requests.count == 1)
            #expect(bench.shop.lines.map { $0.hasSuffix("encountered error: Authentication failure") } == [true])
            #expect(try bench.phone().cards[0].isRegistered == false)
        }
    }

    // MARK: Updates

    @Test func `gets a change after a push, and shows it with its message`() async throws {
        try await withPush { bench in
            let phone = try await bench.registered(points: 0, date: Self.date)
            bench.shop.answers[bench.list(phone)] = [PushBench.listed([PushBench.serial])]
            bench.shop.answers[PushBench.get] = [PushBench.version(PushBench.pass(points: 1_200))]
            #expect(try await bench.push(to: phone) == "200")
            #expect(await waitUntil(bench.reactor) { (try? bench.phone().events.last?.kind) == .shown })
            let now = try bench.phone()
            #expect(now.cards[0].changes.map(\.message) == ["Now 1200 points"])
            #expect(now.events.map(\.kind) == [.added, .registered, .pushed, .listed, .fetched, .shown])
            #expect(now.events.last?.text.english == "Now 1200 points")
            #expect(now.cards[0].lastModified == "Sat, 21 Nov 2026 09:00:01 GMT")
            #expect(now.cards[0].isRegistered)
            let get = try #require(bench.shop.requests.last)
            #expect(get.first("If-Modified-Since") == Self.date)
            #expect(get.first("Authorization") == "ApplePass k3Jv0pZ8wQ2xT7bN5mYc1LrS")
            #expect(bench.shop.requests[1].first("Authorization") == nil)
            #expect(bench.shop.lines.isEmpty)
            // The next question has the tag of the last answer.
            bench.shop.answers[bench.list(phone, tag: "7")] = [InboundResponse(status: 204)]
            try await bench.control("POST", "/phones/1/daily")
            #expect(bench.shop.requests.last?.path.hasSuffix("?passesUpdatedSince=7") == true)
            #expect(bench.shop.lines.isEmpty)
        }
    }

    @Test func `a change without a message is silent`() async throws {
        try await withPush { bench in
            let phone = try await bench.registered()
            bench.shop.answers[bench.list(phone)] = [PushBench.listed([PushBench.serial])]
            bench.shop.answers[PushBench.get] = [PushBench.version(PushBench.pass(points: 3, hasMessage: false))]
            try await bench.control("POST", "/phones/1/wake")
            #expect(try bench.phone().cards[0].changes.map(\.message) == [nil])
            #expect(try bench.phone().events.last?.text.english == "points: 0 → 3, without a notice")
        }
    }

    /// What the server does wrong, and the end of the line that the phone writes.
    static let faults: [(name: String, list: InboundResponse, get: InboundResponse?, line: String)] = [
        (
            "304", PushBench.listed([PushBench.serial]), InboundResponse(status: 304),
            "Server requested update to serial number '\(PushBench.serial)', but the pass was unchanged."
        ),
        (
            "no Last-Modified", PushBench.listed([PushBench.serial]),
            PushBench.version(PushBench.pass(points: 9), nil), "lacks a last-modified header."
        ),
        (
            "the same file", PushBench.listed([PushBench.serial]), PushBench.version(PushBench.pass(points: 0)),
            "returned the full unchanged pass data for serial number '\(PushBench.serial)'."
        ),
        (
            "another serial", PushBench.listed([PushBench.serial]),
            PushBench.version(PushBench.pass(points: 9, serial: "other")), "Received invalid pass data."
        ),
        (
            "no pass", PushBench.listed([PushBench.serial]), InboundResponse(status: 200, body: [1]),
            "if-modified-since \(date); with web service url \(ScriptedShop.origin)/) encountered error: "
                + "Received invalid pass data."
        ),
        (
            "500", PushBench.listed([PushBench.serial]), InboundResponse(status: 500),
            "encountered error: Unexpected response code 500"
        ),
        (
            "401", PushBench.listed([PushBench.serial]), InboundResponse(status: 401),
            "encountered error: Authentication failure"
        ),
        (
            "a foreign serial", PushBench.listed(["other"]), nil,
            "Server requested update to serial number 'other', but no such pass is registered."
        ),
        (
            "a number for a tag", PushBench.listed([PushBench.serial], 7), nil,
            "last updated (null); with web service url \(ScriptedShop.origin)/) encountered error: "
                + "Received an invalid response"
        ),
        (
            "401 for the list", InboundResponse(status: 401), nil,
            "encountered error: Unexpected response code 401"
        ),
    ]

    @Test(arguments: faults.indices)
    func `writes to the log of the server what it does wrong`(index: Int) async throws {
        let fault = Self.faults[index]
        try await withPush { bench in
            let phone = try await bench.registered(date: Self.date)
            bench.shop.answers[bench.list(phone)] = [fault.list]
            if let get = fault.get { bench.shop.answers[PushBench.get] = [get] }
            try await bench.control("POST", "/phones/1/wake")
            #expect(bench.shop.lines.count == 1)
            #expect(bench.shop.lines.first?.hasSuffix(fault.line) == true, "\(fault.name): \(bench.shop.lines)")
            let kept = try bench.phone().cards[0].fields(.primary, in: []).map(\.value)
            #expect(kept == [fault.name == "no Last-Modified" ? "9" : "0"])
            #expect(try bench.phone().cards[0].isRegistered == (fault.name != "401"))
        }
    }

    @Test func `asks no more after a version without a web service`() async throws {
        try await withPush { bench in
            let phone = try await bench.registered()
            bench.shop.answers[bench.list(phone)] = [PushBench.listed([PushBench.serial])]
            bench.shop.answers[PushBench.get] = [PushBench.version(PushBench.pass(points: 0, webService: false))]
            try await bench.control("POST", "/phones/1/wake")
            let count = bench.shop.requests.count
            try await bench.control("POST", "/phones/1/wake")
            try await bench.control(
                "POST",
                "/phones/1/remove",
                ["type": .string(PushBench.topic), "serial": .string(PushBench.serial)]
            )
            #expect(bench.shop.requests.count == count)
            #expect(bench.shop.lines.isEmpty)
        }
    }

    @Test func `pushes that come while it asks make it ask once more`() async throws {
        try await withPush { bench in
            let phone = try await bench.registered()
            bench.shop.answers[bench.list(phone)] = [InboundResponse(status: 204)]
            let delivery = PushModel.Delivery(
                phone: 1,
                topic: PushBench.topic,
                expiresAt: nil,
                isForNowOnly: false
            )
            for _ in 0..<30 { bench.simulator.deliver(delivery) }
            #expect(await bench.shop.waitFor(3))
            for _ in 0..<20 { await bench.reactor.nextTurn() }
            #expect(bench.shop.requests.count == 3)
        }
    }

    @Test func `a push that comes before the answer to the registration makes it ask behind it`() async throws {
        try await withPush { bench in
            let delivery = PushModel.Delivery(
                phone: 1,
                topic: PushBench.topic,
                expiresAt: nil,
                isForNowOnly: false
            )
            bench.shop.onRequest = { if $0.method == "POST" { bench.simulator.deliver(delivery) } }
            let phone = try await bench.registered()
            #expect(await bench.shop.waitFor(2))
            let asked = bench.shop.requests.map { $0.method + " " + $0.path }
            #expect(asked == ["POST " + bench.registration(phone), bench.list(phone)])
        }
    }

    // MARK: Off and on

    @Test func `a push waits for a phone that is off, one for each type, unless it is for now only`() async throws {
        try await withPush { bench in
            let phone = try await bench.registered()
            bench.shop.answers[bench.list(phone)] = [InboundResponse(status: 204)]
            try await bench.control("POST", "/phones/1/offline")
            #expect(try await bench.push(to: phone, expiration: "0") == "200")
            try await bench.control("POST", "/phones/1/online")
            #expect(bench.shop.requests.count == 1)
            try await bench.control("POST", "/phones/1/offline")
            for _ in 0..<3 { #expect(try await bench.push(to: phone, expiration: "1767409445") == "200") }
            #expect(try bench.phone().stored.count == 1)
            try await bench.control("POST", "/phones/1/online")
            #expect(bench.shop.requests.count == 2)
            #expect(try bench.phone().stored.isEmpty)
        }
    }

    @Test func `a stored push that is too old is dropped`() async throws {
        let clock = ManualClock()
        try await withPush(clock: clock) { bench in
            let phone = try await bench.registered()
            try await bench.control("POST", "/phones/1/offline")
            _ = try await bench.push(to: phone, expiration: "1767323055")
            clock.advance(by: .seconds(10), waking: bench.reactor.executor)
            // A turn has one time.
            await bench.reactor.nextTurn()
            try await bench.control("POST", "/phones/1/online")
            #expect(bench.shop.requests.count == 1)
        }
    }

    @Test func `a pass that is removed without a network is unregistered when there is one`() async throws {
        try await withPush { bench in
            let phone = try await bench.registered()
            bench.shop.answers["DELETE " + bench.registration(phone)] = [InboundResponse(status: 200)]
            try await bench.control("POST", "/phones/1/offline")
            let body: JSONValue = ["type": .string(PushBench.topic), "serial": .string(PushBench.serial)]
            try await bench.control("POST", "/phones/1/remove", body)
            #expect(bench.shop.requests.count == 1)
            try await bench.control("POST", "/phones/1/online")
            #expect(bench.shop.requests.last?.method == "DELETE")
            #expect(bench.shop.requests.last?.first("Authorization") == "ApplePass k3Jv0pZ8wQ2xT7bN5mYc1LrS")
            #expect(try bench.phone().events.last?.kind == .unregistered)
            let again = try await bench.ask("POST", "/phones/1/remove", body.bytes)
            #expect(again.status == 404)
        }
    }

    @Test func `updates off ends the registrations, updates on begins them and asks`() async throws {
        try await withPush { bench in
            let phone = try await bench.registered()
            bench.shop.answers["DELETE " + bench.registration(phone)] = [InboundResponse(status: 200)]
            bench.shop.answers[bench.list(phone)] = [InboundResponse(status: 204)]
            try await bench.control("POST", "/phones/1/updates", ["on": false])
            #expect(try bench.phone().cards.map(\.isRegistered) == [false])
            try await bench.control("POST", "/phones/1/wake")
            #expect(bench.shop.requests.map(\.method) == ["POST", "DELETE"])
            try await bench.control("POST", "/phones/1/updates", ["on": true])
            #expect(bench.shop.requests.map(\.method) == ["POST", "DELETE", "POST", "GET"])
            #expect(try bench.phone().cards.map(\.isRegistered) == [true])
        }
    }

    @Test func `a new push token is registered, and the old one reaches nobody`() async throws {
        try await withPush { bench in
            let old = try await bench.registered()
            try await bench.control("POST", "/phones/1/token")
            let phone = try bench.phone()
            #expect(phone.pushToken != old.pushToken)
            #expect(phone.device == old.device)
            let body = try JSONParser.parse(try #require(bench.shop.requests.last).body)
            #expect(body == ["pushToken": .string(phone.pushToken)])
            let events = phone.events.count
            #expect(try await bench.push(to: old) == "200")
            #expect(try bench.phone().events.count == events)
        }
    }

    @Test(arguments: [(false, "200"), (true, "410")])
    func `a wiped phone tells nobody; the push service does when it is told`(
        isReported: Bool,
        status: String
    ) async throws {
        try await withPush { bench in
            let old = try await bench.registered()
            try await bench.control("POST", "/phones/1/wipe", ["unregistered": .bool(isReported)])
            let phone = try bench.phone()
            #expect(phone.cards.isEmpty)
            #expect(phone.device != old.device)
            #expect(bench.shop.requests.count == 1)
            #expect(try await bench.push(to: old) == status)
            for _ in 0..<20 { await bench.reactor.nextTurn() }
            #expect(bench.shop.requests.count == 1)
        }
    }

    // MARK: Control

    @Test func `makes many phones, all of them different`() async throws {
        try await withPush { bench in
            try await bench.control("POST", "/phones", ["count": 1_000])
            let phones = bench.simulator.model.phones.values
            #expect(Set(phones.map(\.device)).count == 1_000)
            #expect(Set(phones.map(\.pushToken)).count == 1_000)
        }
    }

    @Test(arguments: ["/phones/7/wake", "/phones/1/fly", "/phones/x/wake"])
    func `knows no such phone or order`(path: String) async throws {
        try await withPush { bench in
            try await bench.control("POST", "/phones")
            #expect(try await bench.ask("POST", path).status == 404)
        }
    }
}
