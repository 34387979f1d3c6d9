import Primitives
import Testing

@Suite struct `A point on the calendar` {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z", 4), (-1, "1969-12-31T23:59:59Z", 3), (951_782_400, "2000-02-29T00:00:00Z", 2),
            (951_868_799, "2000-02-29T23:59:59Z", 2), (951_868_800, "2000-03-01T00:00:00Z", 3),
            (4_107_542_399, "2100-02-28T23:59:59Z", 0), (4_107_542_400, "2100-03-01T00:00:00Z", 1),
            (1_709_164_800, "2024-02-29T00:00:00Z", 4), (1_735_689_599, "2024-12-31T23:59:59Z", 2),
            (1_767_323_045, "2026-01-02T03:04:05Z", 5), (-2_203_891_200, "1900-03-01T00:00:00Z", 4),
            (-2_203_891_201, "1900-02-28T23:59:59Z", 3), (-62_135_596_800, "0001-01-01T00:00:00Z", 1),
            (253_402_300_799, "9999-12-31T23:59:59Z", 5), (2_147_483_648, "2038-01-19T03:14:08Z", 2),
        ] as [(Int64, String, Int)]
    )
    func `is written in UTC`(seconds: Int64, text: String, weekday: Int) {
        let date = CalendarDate(WallTime(seconds: seconds))
        #expect(date.extendedText == text)
        #expect(date.compactText == text.filter { $0 != "-" && $0 != ":" })
        #expect(date.weekday == weekday)
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-03-14T01:59:26Z", 1_773_453_566), ("2000-02-29T12:00:00Z", 951_825_600),
            ("2024-02-29T23:59:59Z", 1_709_251_199), ("2099-12-31T23:59:59Z", 4_102_444_799),
            ("2100-03-01T00:00:00Z", 4_107_542_400), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, Int64)]
    )
    func `is read in both forms`(text: String, seconds: Int64) {
        #expect(CalendarDate.time(of: text) == WallTime(seconds: seconds))
        #expect(CalendarDate.time(of: text.filter { $0 != "-" && $0 != ":" }) == WallTime(seconds: seconds))
    }

    @Test(arguments: [
        "", "2026-03-14", "2026-02-29T00:00:00Z", "2023-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
        "2026-03-14T24:00:00Z", "2026-03-14T23:60:00Z", "2026-03-14T23:59:60Z", "1969-12-31T23:59:59Z",
        "0000-01-01T00:00:00Z", "2026-03-14 01:59:26Z", "2026-03-14T01:59:26", "2026-03-14T01:59:26+09:00",
        "2026/03/14T01:59:26Z", "20260314T015926X", "20260314-015926Z", "2026-03-14T015926ZZZ", "99999999999999",
        "9999999999999999", "２026-03-14T01:59:26Z",
    ])
    func `has no other form and no other days`(text: String) {
        #expect(CalendarDate.time(of: text) == nil)
    }

    @Test func `moves on by one day, each day of four centuries`() {
        var previous = CalendarDate(WallTime(seconds: -11_676_096_000))
        #expect(previous.extendedText == "1600-01-01T00:00:00Z")
        var leapDays = 0
        for day in 1...146_097 {
            let date = CalendarDate(WallTime(seconds: -11_676_096_000 + Int64(day) * 86_400))
            let follows =
                (date.year == previous.year && date.month == previous.month && date.day == previous.day + 1)
                || (date.day == 1
                    && (date.month == previous.month + 1 || date.month == 1 && date.year == previous.year + 1))
            if !follows || date.weekday != (previous.weekday + 1) % 7 {
                Issue.record("\(previous.extendedText) is followed by \(date.extendedText)")
                return
            }
            if date.month == 2, date.day == 29 { leapDays += 1 }
            previous = date
        }
        #expect(previous.extendedText == "2000-01-01T00:00:00Z")
        #expect(leapDays == 97)
    }

    @Test(
        arguments: [(0, 0), (999_999, 0), (1_000_000, 1), (-1, -1), (-1_000_000, -1), (-1_000_001, -2)]
            as [(Int64, Int64)]
    )
    func `is rounded down to its second`(microseconds: Int64, seconds: Int64) {
        #expect(WallTime(microseconds: microseconds).seconds == seconds)
    }

    @Test func `is moved by durations to the microsecond`() {
        let time = WallTime(seconds: 10)
        #expect(time + Duration.milliseconds(1_500) == WallTime(microseconds: 11_500_000))
        #expect(time + Duration.microseconds(-1) == WallTime(microseconds: 9_999_999))
        #expect(time + Duration.nanoseconds(999) == time)
        #expect(time < time + Duration.seconds(1))
    }
}
