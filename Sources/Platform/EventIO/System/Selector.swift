import CLinux

/// One epoll set.
@safe struct Selector: ~Copyable {
    /// The most events of one wait.
    static var capacity: Int { Int(CLINUX_EVENTS_PER_WAIT) }

    private let descriptor: Descriptor
    private let events: UnsafeMutablePointer<clinux_event>

    init() throws(IOError) {
        descriptor = Descriptor(owning: try systemCall("epoll_create1") { clinux_epoll_create() })
        unsafe events = UnsafeMutablePointer.allocate(capacity: Selector.capacity)
    }

    deinit {
        unsafe events.deallocate()
    }

    func add(_ target: Int32, mask: UInt32, data: UInt64) throws(IOError) {
        try systemCall("epoll_ctl") { clinux_epoll_add(descriptor.raw, target, mask, data) }
    }

    func modify(_ target: Int32, mask: UInt32, data: UInt64) throws(IOError) {
        try systemCall("epoll_ctl") { clinux_epoll_modify(descriptor.raw, target, mask, data) }
    }

    /// Takes a descriptor out; one that is closed or unknown is out already.
    func remove(_ target: Int32) {
        _ = clinux_epoll_remove(descriptor.raw, target)
    }

    /// Waits for events.
    ///
    /// - Parameter milliseconds: -1 waits for ever.
    /// - Returns: How many events `event(at:)` now holds.
    /// - Throws: `IOError` when the set itself is broken.
    func wait(milliseconds: Int32) throws(IOError) -> Int {
        let count = try systemCall("epoll_wait") {
            unsafe clinux_epoll_wait(descriptor.raw, events, milliseconds)
        }
        return Int(count)
    }

    /// One event of the last wait.
    ///
    /// - Parameter index: Below the count that the wait returned, which is at most the capacity.
    /// - Returns: The user data of the registration and epoll's mask.
    func event(at index: Int) -> (data: UInt64, mask: UInt32) {
        let event = unsafe events[index]
        return (event.data, event.mask)
    }
}
