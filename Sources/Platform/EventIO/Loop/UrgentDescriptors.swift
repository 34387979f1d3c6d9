import CLinux

/// The few descriptors that go before all others when a turn is full.
struct UrgentDescriptors {
    /// One system call asks for so many.
    private static let limit = 64

    private var registrations: [Registration] = []
    /// The descriptor of each registration.
    private var descriptors: [Int32] = []

    /// Remembers a registration; beyond the limit it is reported in the usual order.
    mutating func add(_ registration: Registration) {
        guard registrations.count < UrgentDescriptors.limit else { return }
        registrations.append(registration)
        descriptors.append(registration.descriptor)
    }

    /// Forgets a registration, if it is here.
    mutating func remove(_ registration: Registration) {
        guard let index = registrations.firstIndex(of: registration) else { return }
        registrations.remove(at: index)
        descriptors.remove(at: index)
    }

    /// Names the registrations that can be read now; a body may add and remove.
    func forEachReady(_ body: (Registration) -> Void) {
        guard !descriptors.isEmpty else { return }
        let ready = unsafe descriptors.withUnsafeBufferPointer { all in
            unsafe clinux_poll_readable(all.baseAddress, Int32(all.count))
        }
        guard ready != 0 else { return }
        for (index, registration) in registrations.enumerated() where ready & (1 << UInt64(index)) != 0 {
            body(registration)
        }
    }
}
