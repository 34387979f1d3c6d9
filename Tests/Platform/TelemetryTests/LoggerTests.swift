import FoundationEssentials
import Primitives
import Telemetry
import TestKit
import Testing

@Suite struct `A log line` {
    private struct Line: Decodable {
        let time: String
        let level: String
        let event: String
        let text: String?
        let count: Int?
        let ratio: Double?
        let isLast: Bool?

        enum CodingKeys: String, CodingKey {
            case time, level, event, text, count, ratio
            case isLast = "is_last"
        }
    }

    @Test func `is one JSON object with time, level, event and fields in order`() throws {
        let log = CapturedLog()
        log.logger().info(
            "session.opened",
            [LogField("text", "a"), LogField("count", -3), LogField("ratio", 0.5), LogField("is_last", true)]
        )
        #expect(
            log.lines == [
                #"{"time":"2026-01-02T03:04:05.000Z","level":"info","event":"session.opened","text":"a","count":-3,"#
                    + #""ratio":0.5,"is_last":true}"# + "\n"
            ]
        )
        let line = try JSONDecoder().decode(Line.self, from: Data(log.lines[0].utf8))
        #expect(line.count == -3 && line.isLast == true && line.ratio == 0.5)
    }

    @Test(arguments: [(0, "000"), (7_999, "007"), (45_000, "045"), (999_999, "999")] as [(Int64, String)])
    func `has its time to the millisecond`(microseconds: Int64, digits: String) {
        let log = CapturedLog()
        let clock = ManualClock(at: WallTime(microseconds: 1_767_323_045_000_000 + microseconds))
        log.logger(clock: clock).info("a.b")
        #expect(log.lines[0].contains(#""time":"2026-01-02T03:04:05.\#(digits)Z""#))
    }

    @Test(arguments: [
        "", "plain", "\"quoted\"", "back\\slash", "line\nfeed", "tab\tand\rreturn", "\u{0}\u{1}\u{1F}\u{7F}", "日本語 😀",
        "\u{2028}", "</script>",
    ])
    func `carries any text unharmed and stays one line`(text: String) throws {
        let log = CapturedLog()
        log.logger().info("a.b", [LogField("text", text)])
        #expect(log.lines[0].filter { $0 == "\n" }.count == 1)
        #expect(try JSONDecoder().decode(Line.self, from: Data(log.lines[0].utf8)).text == text)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `writes a number that JSON does not have as null`(number: Double) {
        let log = CapturedLog()
        log.logger().info("a.b", [LogField("ratio", number)])
        #expect(log.lines[0].hasSuffix("\"ratio\":null}\n"))
    }

    @Test(arguments: [LogFormat.json, .text])
    func `begins with its level as the journal numbers it, where that reads along`(format: LogFormat) {
        let lines = Recorder<String>()
        let clock = ManualClock(at: WallTime(microseconds: 0))
        let logger = Logger(level: .trace, format: format, hasPriorities: true, clock: clock) { line in
            lines.record(String(decoding: line, as: UTF8.self))
        }
        for level in LogLevel.allCases { logger.with([LogField("loop", "0")]).log(level, "a.b") }
        #expect(lines.values.map { String($0.prefix(3)) } == ["<7>", "<7>", "<6>", "<5>", "<4>", "<3>"])
        let starts = lines.values.map { $0.dropFirst(3).hasPrefix(format == .json ? "{\"time\":" : "00:00:00.000 ") }
        #expect(starts == Array(repeating: true, count: 6))
    }

    @Test func `is not built below the level`() {
        let log = CapturedLog()
        let built = Recorder<LogLevel>()
        func fields(_ level: LogLevel) -> [LogField] {
            built.record(level)
            return []
        }
        let logger = log.logger(level: .notice)
        for level in LogLevel.allCases { logger.log(level, "a.b", fields(level)) }
        #expect(built.values == [.notice, .warning, .error])
        #expect(log.lines.count == 3)
    }

    @Test func `carries what its logger was given before`() {
        let log = CapturedLog()
        let logger = log.logger().with([LogField("request", "r1")]).with([LogField("route", "/button")])
        logger.warning("a.b", [LogField("count", 1)])
        #expect(log.lines[0].hasSuffix(#""event":"a.b","request":"r1","route":"/button","count":1}"# + "\n"))
        let labelled = Recorder<String>()
        Logger(level: .info, label: "simulator", clock: ManualClock()) {
            labelled.record(String(decoding: $0, as: UTF8.self))
        }
        .error("c.d")
        #expect(labelled.values[0].hasSuffix(#""level":"error","event":"c.d","label":"simulator"}"# + "\n"))
    }

    @Test func `has no name twice, so that nobody who reads JSON loses one of two values`() throws {
        let lines = Recorder<String>()
        let logger = Logger(level: .info, label: "a", clock: ManualClock()) {
            lines.record(String(decoding: $0, as: UTF8.self))
        }
        let fields = [
            LogField("event", "evt_1"), LogField("count", 1), LogField("count", 2), LogField("label", "b"),
            LogField("request", "r2"), LogField("time", 3),
        ]
        logger.with([LogField("request", "r1"), LogField("level", 5)]).warning("a.b", fields)
        let line = lines.values[0]
        #expect(line.contains(#""label":"a","request":"r1","level_2":5,"event_2":"evt_1","count":1,"count_2":2,"#))
        #expect(line.hasSuffix(#""label_2":"b","request_2":"r2","time_2":3}"# + "\n"))
    }

    @Test func `for people is one line of words`() {
        let lines = Recorder<String>()
        let logger = Logger(level: .info, label: "simulator", format: .text, clock: ManualClock()) {
            lines.record(String(decoding: $0, as: UTF8.self))
        }
        let token = "swb_" + String(repeating: "A", count: 64)
        logger.warning(
            "a.b",
            [
                LogField("count", 2), LogField("text", "two words\nand \"more\""), LogField("url", "https://a/?b=c"),
                LogField("empty", ""), LogField("token", token), LogField("is_last", true),
            ]
        )
        #expect(
            lines.values == [
                #"03:04:05.000 warning a.b label=simulator count=2 text="two words\nand \"more\"" url=https://a/?b=c "#
                    + #"empty="" token=swb_... is_last=true"# + "\n"
            ]
        )
    }

    @Test func `of the silent logger goes nowhere`() {
        Logger.silent.error("a.b")
    }

    @Test func `has a level with a name that can be read back`() {
        for level in LogLevel.allCases { #expect(LogLevel(name: level.description) == level) }
        #expect(LogLevel(name: "INFO") == nil)
        #expect(LogLevel.allCases == LogLevel.allCases.sorted())
    }
}

@Suite struct `The token scrubber` {
    static let payload = String(repeating: "Ab-_9", count: 14)

    @Test(arguments: ["swa_", "swb_", "swc_", "swp_", "swk_", "sws_", "sat_"])
    func `leaves nothing of a token but its tag`(tag: String) {
        let token = tag + String(Self.payload.prefix(64))
        let surroundings = ["%", "id=%&x=1", "\"%\"", "x%", "%\n%", "https://h/#a=%", "% %", "%.%", "swa%"]
        for pattern in surroundings {
            let text = pattern.split(separator: "%", omittingEmptySubsequences: false).joined(separator: token)
            let scrubbed = String(decoding: TokenScrubber.scrub(Array(text.utf8)), as: UTF8.self)
            #expect(!scrubbed.contains("Ab-_9"), "\(text)")
            #expect(scrubbed.contains(tag + "..."))
        }
    }

    @Test func `leaves nothing of a secret in Base64 but its tag`() {
        for text in ["whsec_Ab+/9Ab+/9Ab==", "x=whsec_Ab+/9&y", "\"whsec_Ab+/9=\""] {
            let scrubbed = String(decoding: TokenScrubber.scrub(Array(text.utf8)), as: UTF8.self)
            #expect(scrubbed.contains("whsec_...") && !scrubbed.contains("Ab"), "\(scrubbed)")
        }
        for text in ["whsec", "whsec_", "wh", "w"] {
            #expect(String(decoding: TokenScrubber.scrub(Array(text.utf8)), as: UTF8.self) == text)
        }
    }

    @Test func `works on every text of a line: fields, context and label`() {
        let token = "swb_" + Self.payload
        let lines = Recorder<String>()
        let logger = Logger(level: .info, label: token, clock: ManualClock()) {
            lines.record(String(decoding: $0, as: UTF8.self))
        }
        logger.with([LogField("context", token)]).info("a.b", [LogField("text", "at \(token), and \(token)")])
        #expect(lines.values[0].contains("swb_..."))
        #expect(!lines.values[0].contains("Ab-_9"))
    }

    @Test(arguments: [
        "", "sw", "swa", "swd_abc", "SWA_abc", "sw a_", "swab_", "plain text", "swa_", "swa_ rest", "swa_...", "日本swp_",
    ])
    func `leaves alone what is no token`(text: String) {
        #expect(String(decoding: TokenScrubber.scrub(Array(text.utf8)), as: UTF8.self) == text)
    }

    @Test func `leaves nothing recognisable of tokens in random text`() {
        let random = SeededRandom(seed: 5)
        let letters = Array("swabcpt_-=& \"\n".utf8)
        for _ in 0..<2_000 {
            let text = (0..<random.below(60)).map { _ in letters[random.below(letters.count)] }
            let scrubbed = TokenScrubber.scrub(text)
            #expect(!containsToken(scrubbed))
            #expect(TokenScrubber.scrub(scrubbed) == scrubbed)
        }
    }

    /// Whether a tag is followed by a character of the token alphabet.
    private func containsToken(_ text: [UInt8]) -> Bool {
        let tags = ["swa_", "swb_", "swc_", "swp_", "swk_", "sws_", "sat_"].map { Array($0.utf8) }
        return text.indices.contains { index in
            guard index + 4 < text.count, tags.contains(Array(text[index..<(index + 4)])) else { return false }
            return Base64URL.contains(text[index + 4])
        }
    }
}
