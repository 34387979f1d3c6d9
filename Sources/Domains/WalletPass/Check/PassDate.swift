import Primitives

/// Dates as phones read them: ISO 8601 in the W3C's form, with a time of day and a zone.
enum PassDate {
    /// Whether a text is such a date; seconds may be absent and have a fraction, the zone may lack its colon.
    static func isValid(_ text: String) -> Bool {
        var reader = DigitReader(octets: Array(text.utf8)[...])
        guard text.utf8.count <= 64, let year = reader.number(4), reader.skip("-"), let month = reader.number(2),
            reader.skip("-"), let day = reader.number(2), reader.skip("T"), let hour = reader.number(2),
            reader.skip(":"), let minute = reader.number(2)
        else { return false }
        guard year > 0, (1...12).contains(month), (1...days(in: month, of: year)).contains(day), hour < 24, minute < 60
        else { return false }
        if reader.skip(":") {
            guard let second = reader.number(2), second < 60 else { return false }
            if reader.skip("."), !reader.skipDigits() { return false }
        }
        if reader.skip("Z") { return reader.octets.isEmpty }
        guard reader.skip("+") || reader.skip("-"), let zoneHour = reader.number(2), zoneHour < 24 else { return false }
        _ = reader.skip(":")
        guard let zoneMinute = reader.number(2), zoneMinute < 60 else { return false }
        return reader.octets.isEmpty
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

private struct DigitReader {
    var octets: ArraySlice<UInt8>

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard octets.first == UInt8(ascii: character) else { return false }
        octets.removeFirst()
        return true
    }

    mutating func number(_ count: Int) -> Int? {
        let digits = octets.prefix(count)
        guard digits.count == count, digits.allSatisfy(DigitReader.isDigit) else { return nil }
        octets.removeFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    mutating func skipDigits() -> Bool {
        let count = octets.prefix(while: DigitReader.isDigit).count
        octets.removeFirst(count)
        return count > 0
    }

    private static func isDigit(_ octet: UInt8) -> Bool { (0x30...0x39).contains(octet) }
}
