/// The two bits that Apple keeps of a device for a team.
package struct DeviceBits: Hashable, Sendable {
    package let bit0: Bool
    package let bit1: Bool

    package init(bit0: Bool, bit1: Bool) {
        self.bit0 = bit0
        self.bit1 = bit1
    }
}

/// A month of a year, UTC: how exactly Apple says when bits were last changed.
package struct DeviceMonth: Hashable, Sendable {
    package let year: Int
    /// 1 to 12.
    package let month: Int

    /// The month, or `nil` where there is none such.
    package init?(year: Int, month: Int) {
        guard (0...9_999).contains(year), (1...12).contains(month) else { return nil }
        self.year = year
        self.month = month
    }
}

/// What Apple knows of a device.
package enum DeviceRecord: Equatable, Sendable {
    /// Its bits were never set.
    case neverSet
    /// - Parameter lastUpdate: `nil` where Apple gave none that can be read.
    case bits(DeviceBits, lastUpdate: DeviceMonth?)
}
