/// Strict reading and fast writing of whole decimal numbers.
package enum DecimalDigits {
    /// The number that a text of digits stands for, or `nil` where it is none.
    ///
    /// - Parameters:
    ///   - text: ASCII digits only: no sign, no blank, no leading zero except `0` itself.
    /// - Returns: 0 to `limit`.
    package static func parse(_ text: Span<UInt8>, limit: Int) -> Int? {
        guard text.count > 0, text.count == 1 || text[0] != UInt8(ascii: "0") else { return nil }
        var value = 0
        for index in text.indices {
            let digit = text[index]
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
            guard !overflow, !carry, sum <= limit else { return nil }
            value = sum
        }
        return value
    }

    /// Appends the digits of a number.
    ///
    /// - Parameters:
    ///   - number: Zero or more; a negative number is written with a minus sign.
    package static func append(_ number: Int, to output: inout [UInt8]) {
        if number < 0 { output.append(UInt8(ascii: "-")) }
        output.append(addingCapacity: 20) { room in append(number.magnitude, to: &room) }
    }

    /// Appends the digits of a number.
    ///
    /// - Parameters:
    ///   - output: Grows by one to twenty characters; has room for them.
    package static func append(_ number: UInt, to output: inout OutputSpan<UInt8>) {
        var unit: UInt = 1
        while number / unit >= 10 { unit *= 10 }
        while unit > 0 {
            output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / unit % 10))
            unit /= 10
        }
    }
}
