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
