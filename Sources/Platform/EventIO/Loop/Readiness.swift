import CLinux

/// The kinds of readiness that are reported to a registration.
///
/// An error and a full hang-up are always reported; the peer's half-close is reported with `readable`.
package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Bytes, a connection or the end of the stream can be read.
    package static let readable = Interest(rawValue: 1)
    /// Bytes can be written.
    package static let writable = Interest(rawValue: 2)

    func mask(_ trigger: Trigger) -> UInt32 {
        var mask: UInt32 = 0
        if contains(.readable) { mask |= clinux_epoll_in() | clinux_epoll_rdhup() }
        if contains(.writable) { mask |= clinux_epoll_out() }
        if trigger == .edge { mask |= clinux_epoll_et() }
        return mask
    }
}

/// When readiness is reported to a registration.
package enum Trigger: Sendable {
    /// In every turn for as long as it is ready: for listeners and for libraries that may leave bytes behind.
    case level
    /// Once each time something new happens: read until the kernel has no more, or remember that it may.
    ///
    /// Bytes and the end of the stream may come as one event: on `hangUp` read to the end, then close.
    case edge
}

/// What has happened to a registered descriptor.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Reading makes progress.
    package static let readable = Readiness(rawValue: 1)
    /// Writing makes progress.
    package static let writable = Readiness(rawValue: 2)
    /// The peer has closed its side, or both are closed; there may be bytes left to read.
    package static let hangUp = Readiness(rawValue: 4)
    /// The descriptor has failed; the next call returns the error.
    package static let error = Readiness(rawValue: 8)

    /// Whether reading makes progress.
    package var isReadable: Bool { rawValue & 1 != 0 }
    /// Whether writing makes progress.
    package var isWritable: Bool { rawValue & 2 != 0 }
    /// Whether the peer has closed its side, or both are closed.
    package var isHangUp: Bool { rawValue & 4 != 0 }
    /// Whether the descriptor has failed.
    package var isError: Bool { rawValue & 8 != 0 }

    init(mask: UInt32) {
        var bits: UInt8 = 0
        if mask & clinux_epoll_in() != 0 { bits |= 1 }
        if mask & clinux_epoll_out() != 0 { bits |= 2 }
        if mask & (clinux_epoll_rdhup() | clinux_epoll_hup()) != 0 { bits |= 4 }
        if mask & clinux_epoll_err() != 0 { bits |= 8 }
        rawValue = bits
    }
}

/// Hears about the readiness of what it registered, on the loop.
package protocol ReadinessHandler: AnyObject {
    /// Something has happened.
    ///
    /// - Parameter readiness: At least one member.
    func ready(_ readiness: Readiness)
}

/// Hears about the end of each turn, on the loop.
package protocol TurnObserver: AnyObject {
    /// All events were handed out and all ready jobs ran; the loop is about to wait.
    func turnWillEnd()
}
