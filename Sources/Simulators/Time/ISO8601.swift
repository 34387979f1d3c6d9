package import Primitives

/// Reading of the times and durations that a person types into the control interface, ISO 8601.
package enum ISO8601 {
    /// The point in time that a text stands for, or `nil` where it is none.
    ///
    /// - Parameter text: UTC to the second, compact `YYYYMMDDTHHMMSSZ` or extended `YYYY-MM-DDTHH:MM:SSZ`.
    /// - Returns: A time from the year 1970 on.
    package static func time(_ text: String) -> WallTime? {
        let compact = text.utf8.count == 20 ? removingSeparators(Array(text.utf8)) : Array(text.utf8)
        guard let bytes = compact, bytes.count == 16, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "Z"),
            let year = number(bytes[0..<4]), let month = number(bytes[4..<6]), let day = number(bytes[6..<8]),
            let hour = number(bytes[9..<11]), let minute = number(bytes[11..<13]), let second = number(bytes[13..<15])
        else { return nil }
        let time = WallTime(
            seconds: days(year, month, day) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
        )
        // A day that the month does not have comes back as another one.
        return year >= 1970 && CalendarDate(time).compactText.utf8.elementsEqual(bytes) ? time : nil
    }

    /// The length of time that a text stands for, or `nil` where it is none.
    ///
    /// - Parameter text: For example `PT25H`, `P30D`, `P1DT2H30M`, `PT45S`, `P2W`; whole numbers only, no years and no months
    ///   because their length varies.
    /// - Returns: Zero to 100,000 days.
    package static func duration(_ text: String) -> Duration? {
        var rest = Array(text.utf8)[...]
        guard rest.popFirst() == UInt8(ascii: "P"), !rest.isEmpty else { return nil }
        var units: [(letter: UInt8, seconds: Int)] = dateUnits
        var isTimePart = false
        var total = 0
        while let first = rest.first {
            if first == UInt8(ascii: "T"), !isTimePart {
                isTimePart = true
                rest.removeFirst()
                units = timeUnits
            }
            let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
            guard !digits.isEmpty, digits.count <= 10, let count = number(digits) else { return nil }
            rest = rest.dropFirst(digits.count)
            guard let letter = rest.popFirst(), let unit = units.firstIndex(where: { $0.letter == letter })
            else { return nil }
            total += count * units[unit].seconds
            units.removeFirst(unit + 1)
            guard total <= longest else { return nil }
        }
        return .seconds(total)
    }

    private static let longest = 100_000 * 86_400
    private static let dateUnits: [(letter: UInt8, seconds: Int)] = [
        (UInt8(ascii: "W"), 604_800), (UInt8(ascii: "D"), 86_400),
    ]
    private static let timeUnits: [(letter: UInt8, seconds: Int)] = [
        (UInt8(ascii: "H"), 3_600), (UInt8(ascii: "M"), 60), (UInt8(ascii: "S"), 1),
    ]

    private static func removingSeparators(_ bytes: [UInt8]) -> [UInt8]? {
        for index in [4, 7] where bytes[index] != UInt8(ascii: "-") { return nil }
        for index in [13, 16] where bytes[index] != UInt8(ascii: ":") { return nil }
        return bytes.enumerated().filter { ![4, 7, 13, 16].contains($0.offset) }.map(\.element)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for digit in digits {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }

    /// Days since 1970-01-01 of a date; years start in March so that a leap day is the last of its year.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return Int64(shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468)
    }
}
