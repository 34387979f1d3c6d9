import Primitives
import Testing

@Suite("A length of time")
struct DurationTextTests {
    @Test(
        arguments: [
            ("0", 0), ("0s", 0), ("90", 90), ("90s", 90), ("15m", 900), ("2h", 7_200), ("720h", 2_592_000),
            ("30d", 2_592_000), ("2592000s", 2_592_000), ("9223372036854775807", Int.max),
        ]
    )
    func `is a number with a unit, or of seconds`(text: String, seconds: Int) {
        #expect(DurationText.seconds(text) == seconds)
    }

    @Test(
        arguments: [
            "", "s", "m", "x", "soon", "1y", "1w", "1S", "1H", "-1s", "+1s", "1.5h", " 1s", "1s ", "1 s", "1ss",
            "1h30m", "01s",
            "00", "PT1H", "1s\n", "\u{661}s", "1m\u{301}", "0x1s", "9223372036854775808", "106751991167301d",
        ]
    )
    func `is no other text`(text: String) {
        #expect(DurationText.seconds(text) == nil)
    }

    @Test(
        arguments: [
            ("59s", false), ("60", true), ("1m", true), ("2h", true), ("7200s", true), ("7201", false), ("3h", false),
            ("1d", false), ("999999999999999999h", false),
        ]
    )
    func `is within its bounds`(text: String, isWithin: Bool) {
        #expect((DurationText.seconds(text, in: 60...7_200) != nil) == isWithin)
    }
    @Test(arguments: [
        (0, "0s"), (1, "1s"), (60, "60s"), (90, "90s"), (120, "2m"), (3_600, "60m"), (7_200, "2h"), (2_592_000, "720h"),
    ])
    func `is written in the largest unit that it has two or more of, and read as what it was`(
        seconds: Int,
        text: String
    ) {
        #expect(DurationText.text(.seconds(seconds)) == text)
        #expect(DurationText.seconds(text) == seconds)
    }
}
