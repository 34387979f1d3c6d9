package import Primitives

/// The date format of HTTP, RFC 9110 section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    /// How many characters a date has.
    package static let byteCount = 29

    /// Appends a date.
    ///
    /// - Parameters:
    ///   - time: Read to the second; the years 0 to 9999 can be written.
    ///   - output: Grows by 29 characters.
    package static func append(_ time: WallTime, to output: inout [UInt8]) {
        let date = CalendarDate(time)
        output.append(contentsOf: weekdays[date.weekday])
        appendPair(date.day, to: &output)
        output.append(contentsOf: months[date.month - 1])
        appendPair(date.year / 100, to: &output)
        appendPair(date.year, to: &output)
        output.append(UInt8(ascii: " "))
        appendPair(date.hour, to: &output)
        output.append(UInt8(ascii: ":"))
        appendPair(date.minute, to: &output)
        output.append(UInt8(ascii: ":"))
        appendPair(date.second, to: &output)
        output.append(contentsOf: zone)
    }

    /// The point in time that a date stands for, or `nil` for any other text.
    ///
    /// - Parameter text: In the one form that `append` writes; the older two are not read.
    /// - Returns: A time from the year 1970 on.
    package static func time(of text: String) -> WallTime? {
        let bytes = Array(text.utf8)
        guard bytes.count == byteCount, let month = months.firstIndex(where: { bytes[7..<12].elementsEqual($0) })
        else { return nil }
        func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        let day = "\(part(12..<16))-\(month < 9 ? "0" : "")\(month + 1)-\(part(5..<7))"
        guard let time = CalendarDate.time(of: "\(day)T\(part(17..<25))Z") else { return nil }
        var again: [UInt8] = []
        again.reserveCapacity(byteCount)
        append(time, to: &again)
        return again == bytes ? time : nil
    }

    /// The point in time that a date in a request stands for, or `nil` for any other text.
    ///
    /// - Parameters:
    ///   - text: In any of the three forms that RFC 9110 has; the day of the week must be right.
    ///   - now: Two digits of a year mean one that is no more than 50 years after this time.
    /// - Returns: A time from the year 1970 on.
    package static func time(ofAnyForm text: String, now: WallTime) -> WallTime? {
        let words = text.octets.parts(between: UInt8(ascii: " "))
        guard text.utf8.count <= 40, let weekday = words.first?.utf8.prefix(3) else { return time(of: text) }
        let day = String(Substring(weekday))
        switch words.count {
        case 4:
            // `Sunday, 06-Nov-94 08:49:37 GMT`
            let date = words[1].octets.parts(between: UInt8(ascii: "-"))
            guard date.count == 3, date[2].utf8.count == 2, date[2].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let year = Int(date[2]),
                words[3].octets == "GMT",
                longWeekdays.contains(words[0].octets)
            else { return nil }
            let limit = CalendarDate(now).year + 50
            let whole = limit - (limit - year) % 100
            return time(of: "\(day), \(date[0]) \(date[1]) \(whole) \(words[2]) GMT")
        case 5 where words[0].utf8.count == 3:
            // `Sun Nov 16 08:49:37 1994`
            return time(of: "\(day), \(words[2]) \(words[1]) \(words[4]) \(words[3]) GMT")
        case 6 where words[0].utf8.count == 3 && words[2].isEmpty:
            // `Sun Nov  6 08:49:37 1994`
            return time(of: "\(day), 0\(words[3]) \(words[1]) \(words[5]) \(words[4]) GMT")
        default: return time(of: text)
        }
    }

    private static let longWeekdays: Set<OctetText> = [
        "Sunday,", "Monday,", "Tuesday,", "Wednesday,", "Thursday,", "Friday,", "Saturday,",
    ]

    /// The last two digits of a number.
    private static func appendPair(_ number: Int, to output: inout [UInt8]) {
        let pair = number.magnitude % 100
        output.append(UInt8(ascii: "0") + UInt8(pair / 10))
        output.append(UInt8(ascii: "0") + UInt8(pair % 10))
    }

    private static let weekdays: [[UInt8]] = ["Sun, ", "Mon, ", "Tue, ", "Wed, ", "Thu, ", "Fri, ", "Sat, "].map {
        Array($0.utf8)
    }

    private static let months: [[UInt8]] = [
        " Jan ", " Feb ", " Mar ", " Apr ", " May ", " Jun ", " Jul ", " Aug ", " Sep ", " Oct ", " Nov ", " Dec ",
    ].map { Array($0.utf8) }

    private static let zone: [UInt8] = Array(" GMT".utf8)
}
