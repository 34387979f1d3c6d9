import Primitives

/// Reads the times of the notification service: `2026-03-14T02:00:00.000Z`.
enum SNSTimestamp {
    /// The point in time behind a text, or `nil` for any other text.
    ///
    /// The fraction may be absent or have one to nine digits, of which six count; the zone is always `Z`.
    static func parse(_ text: String) -> WallTime? {
        let bytes = Array(text.utf8)
        guard (20...30).contains(bytes.count), bytes.last == UInt8(ascii: "Z"),
            let time = CalendarDate.time(of: String(decoding: bytes[..<19], as: UTF8.self) + "Z")
        else { return nil }
        guard bytes.count > 20 else { return time }
        let fraction = bytes[20..<(bytes.count - 1)]
        guard bytes[19] == UInt8(ascii: "."), !fraction.isEmpty, let digits = number(fraction) else { return nil }
        var microseconds = digits
        for _ in fraction.count..<max(6, fraction.count) { microseconds *= 10 }
        for _ in 6..<max(6, fraction.count) { microseconds /= 10 }
        return time + .microseconds(microseconds)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for digit in digits {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return value
    }
}
