/// Reading of the durations that a person types into the control interface, ISO 8601.
///
/// Not `DurationText`, whose form is that of settings: the control interface has published this one.
package enum ISO8601 {
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

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for digit in digits {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }
}
