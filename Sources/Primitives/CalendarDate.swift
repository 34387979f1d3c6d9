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

    /// The compact form of ISO 8601: `YYYYMMDDTHHMMSSZ`.
    package var compactText: String {
        let date = CalendarDate.padded(year, 4) + CalendarDate.padded(month, 2) + CalendarDate.padded(day, 2)
        let time = CalendarDate.padded(hour, 2) + CalendarDate.padded(minute, 2) + CalendarDate.padded(second, 2)
        return date + "T" + time + "Z"
    }

    /// The extended form of ISO 8601: `YYYY-MM-DDTHH:MM:SSZ`.
    package var extendedText: String {
        let date =
            CalendarDate.padded(year, 4) + "-" + CalendarDate.padded(month, 2) + "-" + CalendarDate.padded(day, 2)
        let time =
            CalendarDate.padded(hour, 2) + ":" + CalendarDate.padded(minute, 2) + ":" + CalendarDate.padded(second, 2)
        return date + "T" + time + "Z"
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
