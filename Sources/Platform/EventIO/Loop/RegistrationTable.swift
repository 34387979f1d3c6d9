/// Names one registration; a later one of the same descriptor has another name.
package struct Registration: Sendable, Hashable {
    let descriptor: Int32
    let generation: UInt32
}

/// Who hears about which descriptor.
///
/// A slot's generation grows with each registration and travels in epoll's user data, so that an event for a descriptor that
/// was closed and opened again in the same batch finds nobody.
struct RegistrationTable {
    private struct Slot {
        var generation: UInt32 = 0
        var trigger = Trigger.level
        var handler: (any ReadinessHandler)?
    }

    private var slots: [Slot] = []

    /// Takes the slot of a descriptor.
    mutating func insert(_ descriptor: Int32, trigger: Trigger, handler: any ReadinessHandler) -> Registration {
        let index = Int(descriptor)
        while slots.count <= index { slots.append(Slot()) }
        slots[index].generation &+= 1
        slots[index].trigger = trigger
        slots[index].handler = handler
        return Registration(descriptor: descriptor, generation: slots[index].generation)
    }

    /// Whether a descriptor is registered.
    func holds(_ descriptor: Int32) -> Bool {
        let index = Int(descriptor)
        return slots.indices.contains(index) && slots[index].handler != nil
    }

    /// The trigger of a live registration, or `nil`.
    func trigger(of registration: Registration) -> Trigger? {
        guard let index = index(of: registration) else { return nil }
        return slots[index].trigger
    }

    /// The handler of a live registration, or `nil`.
    func handler(of registration: Registration) -> (any ReadinessHandler)? {
        guard let index = index(of: registration) else { return nil }
        return slots[index].handler
    }

    /// Frees the slot of a live registration.
    ///
    /// - Returns: False when it was not live.
    mutating func remove(_ registration: Registration) -> Bool {
        guard let index = index(of: registration) else { return false }
        slots[index].handler = nil
        slots[index].generation &+= 1
        return true
    }

    /// Frees every slot.
    mutating func removeAll() {
        slots = []
    }

    private func index(of registration: Registration) -> Int? {
        let index = Int(registration.descriptor)
        guard slots.indices.contains(index), slots[index].generation == registration.generation,
            slots[index].handler != nil
        else { return nil }
        return index
    }
}

extension Registration {
    /// The name in epoll's user data.
    var packed: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)) }

    init(packed: UInt64) {
        descriptor = Int32(truncatingIfNeeded: packed)
        generation = UInt32(truncatingIfNeeded: packed >> 32)
    }
}
