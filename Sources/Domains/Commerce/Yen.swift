import Primitives

/// A sum of money in whole yen, never negative.
///
/// All arithmetic is checked; there is no floating point anywhere near it.
package struct Yen: Sendable, Hashable, Comparable {
    /// 0 to `limit`.
    package let amount: Int64

    /// The greatest sum: a trillion yen, far above any order and far below an overflow.
    package static let limit: Int64 = 1_000_000_000_000

    /// Nothing.
    package static let zero = Yen(0)

    /// The given sum.
    ///
    /// - Parameter amount: Any value of the type is within the bounds.
    package init(_ amount: UInt32) {
        self.amount = Int64(amount)
    }

    /// The given sum, or `nil` outside 0 to `limit`.
    ///
    /// - Parameter amount: Whole yen.
    package init?(exactly amount: Int64) {
        guard amount >= 0, amount <= Yen.limit else { return nil }
        self.amount = amount
    }

    /// This sum and another one together.
    ///
    /// - Throws: `overflow` above `limit`.
    package func adding(_ other: Yen) throws(CommerceError) -> Yen {
        try Yen.checked(amount.addingReportingOverflow(other.amount))
    }

    /// This sum several times.
    ///
    /// - Parameter count: Zero or more.
    /// - Throws: `overflow` above `limit` or for a negative count.
    package func times(_ count: Int) throws(CommerceError) -> Yen {
        try Yen.checked(amount.multipliedReportingOverflow(by: Int64(count)))
    }

    /// This price with the consumption tax of ten per cent, rounded down to a whole yen.
    ///
    /// - Returns: `amount * 11 / 10`.
    /// - Throws: `overflow` above `limit`.
    package func withTax() throws(CommerceError) -> Yen {
        let raised = try Yen.checked(amount.multipliedReportingOverflow(by: 11), limit: Yen.limit * 11)
        return try Yen.checked((raised / 10, false))
    }

    /// The digits alone, for example `27996`.
    package var digits: String { String(amount) }

    /// The digits in groups of three, for example `27,996`.
    package var grouped: String {
        var digits: [UInt8] = []
        DecimalDigits.append(Int(amount), to: &digits)
        var output: [UInt8] = []
        output.reserveCapacity(digits.count * 4 / 3 + 1)
        for index in digits.indices {
            if index > 0, (digits.count - index) % 3 == 0 { output.append(UInt8(ascii: ",")) }
            output.append(digits[index])
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The sum that digits in groups of three or digits alone stand for, or `nil` where the text is neither.
    ///
    /// - Parameter text: As `grouped` or `digits` writes it; no sign, blank or leading zero.
    /// - Returns: 0 to `limit`.
    package static func parse(_ text: String) -> Yen? {
        let plain = Array(text.utf8.filter { $0 != UInt8(ascii: ",") })
        guard let number = DecimalDigits.parse(plain.span, limit: Int(limit)), let sum = Yen(exactly: Int64(number)),
            text.octets == sum.digits.octets || text.octets == sum.grouped.octets
        else { return nil }
        return sum
    }

    package static func < (left: Yen, right: Yen) -> Bool {
        left.amount < right.amount
    }

    private static func checked(
        _ outcome: (partialValue: Int64, overflow: Bool)
    ) throws(CommerceError) -> Yen {
        guard let sum = Yen(exactly: try checked(outcome, limit: limit)) else {
            throw CommerceError(.overflow, "a sum above \(limit) yen")
        }
        return sum
    }

    private static func checked(
        _ outcome: (partialValue: Int64, overflow: Bool),
        limit: Int64
    ) throws(CommerceError) -> Int64 {
        guard !outcome.overflow, outcome.partialValue >= 0, outcome.partialValue <= limit else {
            throw CommerceError(.overflow, "a sum above \(Yen.limit) yen")
        }
        return outcome.partialValue
    }
}
