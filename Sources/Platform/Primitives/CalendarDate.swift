/// A calendar date and time of day in UTC, Gregorian.
package struct CalendarDate: Sendable, Hashable {
    /// For example 2026.
    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int
    /// 0 to 23.
    package let hour: Int
    /// 0 to 59.
    package let minute: Int
    /// 0 to 59.
    package let second: Int
    /// 0 for Sunday to 6 for Saturday.
    package let weekday: Int

    /// The date and time of day of a point in time.
    ///
    /// Days are counted in eras of 400 years of 146,097 days that start on 1 March, so that a leap day is the last of its year.
    ///
    /// - Parameter time: Read to the second.
    package init(_ time: WallTime) {
        let (days, rest) = CalendarDate.floorDivide(time.seconds, 86_400)
        let (era, dayOfEra) = CalendarDate.floorDivide(days + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * shifted + 2) / 5 + 1)
        month = Int(shifted < 10 ? shifted + 3 : shifted - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
        hour = Int(rest / 3_600)
        minute = Int(rest / 60 % 60)
        second = Int(rest % 60)
        weekday = Int(CalendarDate.floorDivide(days + 4, 7).remainder)
    }

    /// The point in time that a text stands for, or `nil` for any other text.
    ///
    /// - Parameter text: `YYYYMMDDTHHMMSSZ` or `YYYY-MM-DDTHH:MM:SSZ`, a day of the calendar.
    /// - Returns: A time from the year 1970 on.
    package static func time(of text: String) -> WallTime? {
        let isCompact = text.utf8.count == 16
        guard isCompact || text.utf8.count == 20 else { return nil }
        var digits = InlineArray<14, Int64>(repeating: 0)
        var count = 0
        for byte in text.utf8 where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") {
            guard count < digits.count else { return nil }
            digits[count] = Int64(byte - UInt8(ascii: "0"))
            count += 1
        }
        guard count == digits.count else { return nil }
        func number(_ range: Range<Int>) -> Int64 { range.reduce(0) { $0 * 10 + digits[$1] } }
        let (year, month) = (number(0..<4), number(4..<6))
        guard year >= 1970, month >= 1, month <= 12 else { return nil }
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + number(6..<8) - 1
        let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
        let seconds = number(8..<10) * 3_600 + number(10..<12) * 60 + number(12..<14)
        let time = WallTime(seconds: days * 86_400 + seconds)
        // A day that the month does not have, an hour that the day does not have or a wrong mark comes back as another text.
        let date = CalendarDate(time)
        let same = isCompact ? date.compactText : date.extendedText
        return text.octets == same.octets ? time : nil
    }

    /// The compact form of ISO 8601: `YYYYMMDDTHHMMSSZ`.
    package var compactText: String {
        text(betweenDates: nil, betweenTimes: nil)
    }

    /// The extended form of ISO 8601: `YYYY-MM-DDTHH:MM:SSZ`.
    package var extendedText: String {
        text(betweenDates: UInt8(ascii: "-"), betweenTimes: UInt8(ascii: ":"))
    }

    /// Appends the extended form of ISO 8601.
    ///
    /// - Parameter output: Grows by twenty bytes, for years of four digits.
    package func appendExtended(to output: inout [UInt8]) {
        output.append(addingCapacity: CalendarDate.longest) { room in
            append(to: &room, betweenDates: UInt8(ascii: "-"), betweenTimes: UInt8(ascii: ":"))
        }
    }

    /// A sign, at most nineteen digits of a year, and fifteen characters behind it.
    private static let longest = 40

    private func text(betweenDates dash: UInt8?, betweenTimes colon: UInt8?) -> String {
        String(ascii: CalendarDate.longest) { room in append(to: &room, betweenDates: dash, betweenTimes: colon) }
    }

    private func append(
        to room: inout OutputSpan<UInt8>,
        betweenDates dash: UInt8?,
        betweenTimes colon: UInt8?
    ) {
        CalendarDate.append(year, width: 4, to: &room)
        CalendarDate.append(month, behind: dash, to: &room)
        CalendarDate.append(day, behind: dash, to: &room)
        CalendarDate.append(hour, behind: UInt8(ascii: "T"), to: &room)
        CalendarDate.append(minute, behind: colon, to: &room)
        CalendarDate.append(second, behind: colon, to: &room)
        room.append(UInt8(ascii: "Z"))
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func append(_ value: Int, behind mark: UInt8?, to room: inout OutputSpan<UInt8>) {
        if let mark { room.append(mark) }
        append(value, width: 2, to: &room)
    }

    private static func append(_ value: Int, width: Int, to room: inout OutputSpan<UInt8>) {
        var zeros = width - (value < 0 ? 2 : 1)
        var rest = value.magnitude
        while rest >= 10 {
            rest /= 10
            zeros -= 1
        }
        while zeros > 0 {
            room.append(UInt8(ascii: "0"))
            zeros -= 1
        }
        if value < 0 { room.append(UInt8(ascii: "-")) }
        DecimalDigits.append(value.magnitude, to: &room)
    }
}
