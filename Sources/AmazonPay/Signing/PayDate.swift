import Primitives

/// Reads the two forms of `x-amz-pay-date` and of the API's timestamps, and the date format of HTTP.
enum PayDate {
    /// The time behind `YYYYMMDDTHHMMSSZ` or `YYYY-MM-DDTHH:MM:SSZ`, or `nil` for any other text.
    static func parse(_ text: String) -> WallTime? {
        let bytes = Array(text.utf8)
        let compact = bytes.count == 16 ? bytes : bytes.filter { Characters.isDigit($0) || $0 == 0x54 || $0 == 0x5A }
        guard compact.count == 16,
            let year = number(compact[0..<4]), let month = number(compact[4..<6]), let day = number(compact[6..<8]),
            let hour = number(compact[9..<11]), let minute = number(compact[11..<13]),
            let second = number(compact[13..<15]),
            let time = time(year, month, day, hour * 3600 + minute * 60 + second)
        else { return nil }
        let date = CalendarDate(time)
        return text == date.compactText || text == date.extendedText ? time : nil
    }

    /// The time behind `Sun, 06 Nov 1994 08:49:37 GMT`, or `nil` for any other text.
    static func parseHTTP(_ text: String) -> WallTime? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[5] == "GMT", parts[0].utf8.count == 4,
            let day = number(Array(parts[1].utf8)[...]),
            let month = months.firstIndex(of: String(parts[2])),
            let year = number(Array(parts[3].utf8)[...])
        else { return nil }
        let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false).map { number(Array($0.utf8)[...]) }
        guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2], hour < 24,
            minute < 60,
            second < 60, (1...31).contains(day), (1970...9999).contains(year)
        else { return nil }
        return time(year, month + 1, day, hour * 3600 + minute * 60 + second)
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.count <= 4, digits.allSatisfy(Characters.isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Days are counted in years that begin on 1 March, so that a leap day is the last of its year.
    private static func time(_ year: Int, _ month: Int, _ day: Int, _ seconds: Int) -> WallTime? {
        guard (1...12).contains(month), year > 0 else { return nil }
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
        return WallTime(seconds: Int64(days * 86_400 + seconds))
    }
}
