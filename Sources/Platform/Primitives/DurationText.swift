/// The one reader and writer of lengths of time as operators write them, in settings and on command lines.
package enum DurationText {
    /// The length of time that a text stands for in seconds, or `nil` where it is none.
    ///
    /// - Parameters:
    ///   - text: A whole number as `DecimalDigits` reads it, then `s`, `m`, `h` or `d`; a number alone counts seconds.
    ///   - bounds: Zero or more: what is accepted, in seconds.
    package static func seconds(_ text: String, in bounds: ClosedRange<Int> = 0...Int.max) -> Int? {
        let bytes = Array(text.utf8)
        let unit = bytes.last.flatMap(seconds(inUnit:))
        let digits = unit == nil ? bytes : Array(bytes.dropLast())
        guard let count = DecimalDigits.parse(digits.span, limit: bounds.upperBound) else { return nil }
        let (total, isTooLong) = count.multipliedReportingOverflow(by: unit ?? 1)
        return !isTooLong && bounds.contains(total) ? total : nil
    }

    /// The text of a length of time: whole seconds, minutes or hours, in the largest unit that it has two or more of.
    ///
    /// - Parameter duration: Whole seconds, zero or more; what is below a second is left out.
    /// - Returns: Such as `60s`, `90s`, `15m` or `24h`.
    package static func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        for (unit, letter): (Int64, String) in [(3_600, "h"), (60, "m")]
        where seconds.isMultiple(of: unit) && seconds / unit >= 2 {
            return "\(seconds / unit)\(letter)"
        }
        return "\(seconds)s"
    }

    private static func seconds(inUnit letter: UInt8) -> Int? {
        switch letter {
        case UInt8(ascii: "s"): 1
        case UInt8(ascii: "m"): 60
        case UInt8(ascii: "h"): 3_600
        case UInt8(ascii: "d"): 86_400
        default: nil
        }
    }
}
