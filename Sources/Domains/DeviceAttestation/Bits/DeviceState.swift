import Primitives

/// Named states of a device, in the order in which automatic changes go up.
package enum DeviceState: String, Sendable, Hashable, CaseIterable {
    /// Its bits were never set.
    case new
    /// Seen, and nothing is held against it.
    case known
    /// A free trial or a gift for the first purchase was taken on it.
    case trialUsed = "trial-used"
    /// A real purchase was made on it.
    case paid
    /// Fraud was found on it.
    case blocked

    private var rank: Int {
        switch self {
        case .new: 0
        case .known: 1
        case .trialUsed: 2
        case .paid: 3
        case .blocked: 4
        }
    }
}

extension DeviceState: Comparable {
    package static func < (left: DeviceState, right: DeviceState) -> Bool { left.rank < right.rank }
}

/// A change of a device's bits.
package struct DeviceWrite: Sendable, Hashable {
    /// The state that the bits stand for.
    package let state: DeviceState
    /// Both bits, as they are sent.
    package let bits: DeviceBits
}

/// The table from the two bits of a team to names.
///
/// A name may have several patterns: then the pattern is written that is nearest to the bits as they were read. So independent
/// flags can be told apart, and one bit can belong to another app of the team and stays as it is.
package struct DeviceMeaning: Sendable, Equatable {
    /// The number that an operator gives each edition of the table.
    package let version: Int
    /// The names of `DeviceBits.all`, in its order.
    private let names: [DeviceState]

    /// A table; `nil` without a name for each pattern, without `known`, or where a pattern is to be `new`.
    ///
    /// - Parameter names: Those of `DeviceBits.all`, in its order.
    package init?(version: Int, names: [DeviceState]) {
        guard names.count == DeviceBits.all.count, names.contains(.known), !names.contains(.new) else { return nil }
        self.version = version
        self.names = names
    }

    private init(usual names: [DeviceState]) {
        version = 1
        self.names = names
    }

    /// The table of a team that has no other: all four states, bit 1 the higher one.
    package static let usual = DeviceMeaning(usual: [.known, .trialUsed, .paid, .blocked])

    /// The state that a record stands for.
    package func state(of record: DeviceRecord) -> DeviceState {
        guard let bits = record.bits else { return .new }
        return zip(DeviceBits.all, names).first { $0.0 == bits }?.1 ?? .blocked
    }

    /// Whether a pattern stands for a state.
    package func has(_ state: DeviceState) -> Bool { names.contains(state) }

    /// The highest state up to a wanted one that a pattern stands for; `new` where there is none.
    package func floor(_ wanted: DeviceState) -> DeviceState { names.filter { $0 <= wanted }.max() ?? .new }

    /// Whether a record shows a mark, so that it need not be written again.
    package func shows(_ mark: DeviceState, in record: DeviceRecord) -> Bool { state(of: record) >= floor(mark) }

    /// The change that raises a device to a state; `nil` where there is nothing to change.
    ///
    /// - Parameter restamping: Writes the state that is there again, for the month of its last change.
    package func write(_ wanted: DeviceState, over record: DeviceRecord, restamping: Bool = false) -> DeviceWrite? {
        let present = state(of: record)
        let target = max(present, floor(wanted))
        guard target > present || restamping && target > .new else { return nil }
        return write(exactly: target, over: record)
    }

    /// The change that gives a device a state whatever it has, by a person's decision; `nil` where no pattern stands for it.
    package func write(exactly state: DeviceState, over record: DeviceRecord) -> DeviceWrite? {
        let present = record.bits ?? DeviceBits.all[0]
        let patterns = zip(DeviceBits.all, names).filter { $0.1 == state }.map(\.0)
        let nearest = patterns.min { $0.distance(to: present) < $1.distance(to: present) }
        return nearest.map { DeviceWrite(state: state, bits: $0) }
    }
}
