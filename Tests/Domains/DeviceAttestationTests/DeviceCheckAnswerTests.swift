import DeviceAttestation
import Foundation
import StrictJSON
import Testing

/// A case of `devicecheck-answers.json`.
struct AnswerVector: Sendable, CustomTestStringConvertible {
    let json: JSONValue

    var testDescription: String { json["id"]?.text ?? "" }

    static let all: [AnswerVector] = {
        let file = Bundle.module.bundleURL.appendingPathComponent("Vectors/devicecheck-answers.json")
        guard let content = try? Data(contentsOf: file), let json = try? JSONParser.parse(Array(content), depth: 16)
        else { return [] }
        return json["cases"]?.elements.map(AnswerVector.init) ?? []
    }()
}

@Suite("An answer of the DeviceCheck service")
struct DeviceCheckAnswerTests {
    private static func answer(_ status: Int, _ text: String, to call: DeviceCheckCall = .query) -> DeviceCheckAnswer {
        DeviceCheckAnswer(to: call, status: status, content: Array(text.utf8))
    }

    @Test func `has 27 cases on file`() { #expect(AnswerVector.all.count == 27) }

    @Test(arguments: AnswerVector.all)
    func `means what its case says`(vector: AnswerVector) throws {
        let call = try #require(vector.json["operation"]?.text.flatMap { DeviceCheckCall(rawValue: $0) })
        let status = try #require(vector.json["status"]?.integer)
        let answer = Self.answer(status, try #require(vector.json["body"]?.text), to: call)
        let expected = try #require(vector.json["expect"])
        #expect(answer.outcome == expected["outcome"]?.text)
        #expect(answer.canRetry == expected["retry"]?.flag)
        var record: DeviceRecord?
        if case .record(let found) = answer { record = found }
        #expect(
            record?.bits.map { [JSONValue.bool($0.bit0), .bool($0.bit1)] } ?? [] == expected["bits"]?.elements ?? []
        )
        #expect(record?.lastUpdate?.text == expected["lastUpdate"]?.text)
    }

    @Test func `goes by its status first`() {
        let never = "Failed to find bit state"
        for status in [
            100, 102, 103, 201, 202, 204, 206, 301, 302, 304, 307, 402, 404, 406, 409, 410, 422, 451, 499, 600,
        ] {
            #expect(Self.answer(status, never) == .unreadable, "\(status)")
        }
        for status in 500...599 { #expect(Self.answer(status, never) == .unavailable, "\(status)") }
        for status in [405, 411, 413, 415] { #expect(Self.answer(status, never) == .badRequest, "\(status)") }
        for call in DeviceCheckCall.allCases {
            #expect(Self.answer(403, "device token", to: call) == .credentials)
            #expect(Self.answer(429, never, to: call) == .throttled)
        }
        for call in [DeviceCheckCall.update, .validate] {
            for text in ["", never, "<html>", #"{"bit0":true,"bit1":true}"#] {
                #expect(Self.answer(200, text, to: call) == .ok)
            }
        }
    }

    @Test(arguments: [
        "", " ", "{", "[]", "null", "true", "[true,false]", #"{"bit0":true}"#, #"{"bit0":true,"bit1":null}"#,
        #"{"bit0":true,"bit1":"false"}"#, #"{"bit0":1,"bit1":0}"#, #"{"bit0":true,"bit0":false,"bit1":true}"#,
        #"{"bit0":true,"bit1":false"#, #"{"bit0":true,"bit1":false}x"#, #"{"Bit0":true,"Bit1":false}"#,
        #"{"bits":{"bit0":true,"bit1":false}}"#, "<html>Failed to find bit state</html>",
        "Failed to find bit state.", "Failed to find bit states", "Not: Bit State Not Found", "Bit State",
        "\u{FEFF}Bit State Not Found",
        #"{"message":"Bit State Not Found"}"#, #"{"responseMessage":["Bit State Not Found"]}"#,
        #""Bit State Not Found""#,
        #"{"responseMessage":"no Bit State Not Found"}"#,
    ])
    func `that cannot be read never means that bits were never set`(text: String) {
        #expect(Self.answer(200, text) == .unreadable)
    }

    @Test func `of random octets never means that bits were never set`() {
        var state: UInt64 = 7
        let seeds = ["Failed to find bit state", "Bit State Not Found", #"{"bit0":true,"bit1":false}"#].map {
            Array($0.utf8)
        }
        for round in 0..<3_000 {
            var octets = seeds[round % 3]
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let place = Int(state >> 33) % octets.count
            let octet = UInt8(truncatingIfNeeded: state >> 24)
            // A letter of the other case, or white space at an end, changes nothing of a text.
            let isSame = (octets[place] ^ octet) & ~0x20 == 0
            guard !isSame else { continue }
            octets[place] = octet
            let answer = DeviceCheckAnswer(to: .query, status: 200, content: octets)
            #expect(answer != .record(.neverSet), "\(octets)")
        }
    }

    @Test(arguments: [
        "BIT STATE NOT FOUND", " \r\n\tfailed to find bit state\n\n", #"{"responseMessage":"Bit State Not Found"}"#,
        #" {"responseCode":"200","responseMessage":" failed to find BIT state "} "#,
    ])
    func `that says so word for word means that bits were never set`(text: String) {
        #expect(Self.answer(200, text) == .record(.neverSet))
    }

    @Test func `keeps its bits where its month is none`() {
        for month in ["", "2026", "2026-13", "2026-00", "26-01", "2026-01-01"] {
            let text = #"{"bit0":true,"bit1":false,"last_update_time":"\#(month)","more":{"a":[1]}}"#
            #expect(Self.answer(200, text) == .record(.bits(DeviceBits(bit0: true, bit1: false), lastUpdate: nil)))
        }
        let none = #"{"bit1":true,"bit0":false,"last_update_time":202601}"#
        #expect(Self.answer(200, none) == .record(.bits(DeviceBits(bit0: false, bit1: true), lastUpdate: nil)))
    }

    @Test func `with 400 blames the token only where its text names it`() {
        for text in [
            "", " ", "Bad", "Missing", "token", "device", #"{"responseMessage":""}"#, #"{"x":1}"#, "<html></html>",
        ] {
            #expect(Self.answer(400, text) == .badRequest, "\(text)")
        }
        for text in ["Bad Device Token", "INVALID DEVICE TOKEN.", "\n\"device token\""] {
            #expect(Self.answer(400, text) == .badDeviceToken, "\(text)")
        }
        #expect(Self.answer(400, #"{"responseMessage":"Bad Authorization Token"}"#) == .credentials)
        #expect(Self.answer(400, "no authorization token, so no word of the Device Token") == .badDeviceToken)
    }

    @Test func `with 401 is too old only by that text`() {
        #expect(Self.answer(401, " authorization token EXPIRED\n") == .credentialsExpired)
        for text in ["", "expired", "Invalid Authorization Token", "Authorization Token Expired, or not"] {
            #expect(Self.answer(401, text) == .credentials)
        }
    }
}
