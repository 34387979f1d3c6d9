import Primitives

/// Reads the times of the notification service: `2026-03-14T02:00:00.000Z`.
enum SNSTimestamp {
    /// The point in time behind a text, or `nil` for any other text.
    ///
    /// The fraction may be absent or have one to nine digits, of which six count; the zone is always `Z`.
    static func parse(_ text: String) -> WallTime? {
        let bytes = Array(text.utf8)
        guard (20...30).contains(bytes.count), bytes.last == UInt8(ascii: "Z"), let seconds = seconds(bytes[..<19])
        else { return nil }
        guard bytes.count > 20 else { return WallTime(seconds: seconds) }
        let fraction = bytes[20..<(bytes.count - 1)]
        guard bytes[19] == UInt8(ascii: "."), !fraction.isEmpty, let digits = number(fraction) else { return nil }
        var microseconds = digits
        for _ in fraction.count..<max(6, fraction.count) { microseconds *= 10 }
        for _ in 6..<max(6, fraction.count) { microseconds /= 10 }
        return WallTime(microseconds: seconds * 1_000_000 + microseconds)
    }

    /// Seconds since 1970 behind `YYYY-MM-DDTHH:MM:SS`.
    private static func seconds(_ text: ArraySlice<UInt8>) -> Int64? {
        let bytes = Array(text)
        guard let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            year >= 1970, (1...12).contains(month)
        else { return nil }
        let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second
        // A day that the month does not have, or a wrong separator, comes back as another text.
        let again = CalendarDate(WallTime(seconds: seconds)).extendedText.utf8
        return again.dropLast().elementsEqual(bytes) ? seconds : nil
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for digit in digits {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return value
    }

    /// Days since 1970-01-01; years begin in March so that a leap day is the last of its year.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
