import CLinux

/// A descriptor that any thread can make readable.
struct WakeUp: ~Copyable, Sendable {
    private let descriptor: Descriptor

    /// A wake-up that does not block.
    init() throws(IOError) {
        descriptor = Descriptor(owning: try systemCall("eventfd") { clinux_eventfd() })
    }

    var raw: Int32 { descriptor.raw }

    /// Makes the descriptor readable; callable from any thread.
    func signal() {
        // The only failure of a non-blocking eventfd is a counter at its end, and then it is readable already.
        _ = clinux_eventfd_add(descriptor.raw)
    }

    /// Makes the descriptor unreadable until the next signal.
    func clear() {
        _ = clinux_eventfd_take(descriptor.raw)
    }
}
