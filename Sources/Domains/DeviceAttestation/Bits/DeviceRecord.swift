package import Primitives

/// The two bits that Apple keeps of a device for a team.
package struct DeviceBits: Hashable, Sendable {
    /// The lower one, as Apple names it.
    package let bit0: Bool
    /// The higher one, as Apple names it.
    package let bit1: Bool

    /// Both bits.
    package init(bit0: Bool, bit1: Bool) {
        self.bit0 = bit0
        self.bit1 = bit1
    }

    /// The four patterns, in the order of the numbers that they are.
    package static let all = [
        DeviceBits(bit0: false, bit1: false), DeviceBits(bit0: true, bit1: false),
        DeviceBits(bit0: false, bit1: true), DeviceBits(bit0: true, bit1: true),
    ]

    /// The number of bits in which two patterns differ.
    package func distance(to other: DeviceBits) -> Int {
        (bit0 == other.bit0 ? 0 : 1) + (bit1 == other.bit1 ? 0 : 1)
    }
}

/// A month of a year, UTC: how exactly Apple says when bits were last changed.
package struct DeviceMonth: Hashable, Sendable {
    /// Of the calendar.
    package let year: Int
    /// 1 to 12.
    package let month: Int

    /// The month, or `nil` where there is none such.
    package init?(year: Int, month: Int) {
        guard (0...9_999).contains(year), (1...12).contains(month) else { return nil }
        self.year = year
        self.month = month
    }

    /// The month of a text such as `2026-01`, or `nil` for any other text.
    package init?(_ text: String) {
        let octets = Array(text.utf8)
        guard octets.count == 7, octets[4] == UInt8(ascii: "-") else { return nil }
        let digits = (octets[..<4] + octets[5...]).map { Int($0) - 0x30 }
        guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
        func number(_ range: Range<Int>) -> Int { range.reduce(0) { $0 * 10 + digits[$1] } }
        self.init(year: number(0..<4), month: number(4..<6))
    }

    /// The month in which a time lies.
    package init(_ time: WallTime) {
        let date = CalendarDate(time)
        year = date.year
        month = date.month
    }

    /// The month as Apple writes it: `2026-01`.
    package var text: String {
        let octets = [year / 1_000, year / 100, year / 10, year, -1, month / 10, month]
            .map { $0 < 0 ? UInt8(ascii: "-") : UInt8(truncatingIfNeeded: 0x30 + $0 % 10) }
        return String(decoding: octets, as: UTF8.self)
    }

    /// The months from another one to this one by the calendar; below zero where the other comes later.
    package func months(since other: DeviceMonth) -> Int { (year - other.year) * 12 + month - other.month }
}

/// What Apple knows of a device.
package enum DeviceRecord: Equatable, Sendable {
    /// Its bits were never set.
    case neverSet
    /// - Parameter lastUpdate: `nil` where Apple gave none that can be read.
    case bits(DeviceBits, lastUpdate: DeviceMonth?)

    /// The month of the last change, where there is one that can be read.
    package var lastUpdate: DeviceMonth? {
        if case .bits(_, let month) = self { month } else { nil }
    }

    /// The bits, where they were ever set.
    package var bits: DeviceBits? {
        if case .bits(let bits, _) = self { bits } else { nil }
    }
}
