/// Names one timer of a loop.
package struct TimerID: Sendable, Hashable {
    let slot: UInt32
    let generation: UInt32
}

/// Timers in a binary heap.
///
/// Built for deadlines that move much more often than they pass: moving one to a later point writes a field and leaves its
/// heap entry where it is; the entry is put back when it comes up too early. Cancelled entries stay until they come up, or
/// until they are the majority.
struct TimerQueue {
    private struct Slot {
        var generation: UInt32 = 0
        var due: UInt64?
        /// The live heap entry, zero for none.
        var entry: UInt64 = 0
        var entryDue: UInt64 = 0
        var stays = false
        var action: (() -> Void)?
    }

    private struct Entry {
        let due: UInt64
        let number: UInt64
        let slot: UInt32

        func precedes(_ other: Entry) -> Bool {
            due != other.due ? due < other.due : number < other.number
        }
    }

    private var slots: [Slot] = []
    private var free: [UInt32] = []
    private var heap: [Entry] = []
    private var lastNumber: UInt64 = 0
    private var stale = 0

    /// How many timers exist, armed or not.
    var count: Int { slots.count - free.count }

    /// A number that separates the entries made before from those made after.
    var mark: UInt64 { lastNumber }

    /// Makes a timer that is not armed.
    ///
    /// - Parameters:
    ///   - stays: Whether it outlives its action; otherwise it is gone when it fires.
    mutating func make(stays: Bool, _ action: @escaping () -> Void) -> TimerID {
        let slot: UInt32
        if let reused = free.popLast() {
            slot = reused
        } else {
            slot = UInt32(truncatingIfNeeded: slots.count)
            slots.append(Slot())
        }
        slots[Int(slot)].stays = stays
        slots[Int(slot)].action = action
        return TimerID(slot: slot, generation: slots[Int(slot)].generation)
    }

    /// Sets or moves the point of a timer.
    ///
    /// - Returns: False when the timer is gone.
    @discardableResult
    mutating func arm(_ timer: TimerID, due: UInt64) -> Bool {
        guard let index = index(of: timer) else { return false }
        slots[index].due = due
        if slots[index].entry != 0 {
            if slots[index].entryDue <= due { return true }
            stale += 1
        }
        push(slot: timer.slot, due: due)
        compactWhenMostlyStale()
        return true
    }

    /// Takes the point away; the timer can be armed again.
    mutating func disarm(_ timer: TimerID) {
        guard let index = index(of: timer) else { return }
        slots[index].due = nil
    }

    /// Ends a timer; one that is gone stays gone.
    mutating func cancel(_ timer: TimerID) {
        guard let index = index(of: timer) else { return }
        release(index)
        compactWhenMostlyStale()
    }

    /// The point of the first heap entry: no timer fires earlier.
    var nextDue: UInt64? { heap.first?.due }

    /// The next action whose point has come, or `nil`.
    ///
    /// - Parameters:
    ///   - mark: Entries made after it wait for the next turn, so that a timer that re-arms itself cannot hold the loop.
    mutating func popDue(now: UInt64, mark: UInt64) -> (() -> Void)? {
        while let first = heap.first, first.due <= now, first.number <= mark {
            removeFirst()
            let index = Int(first.slot)
            guard slots[index].entry == first.number else {
                stale -= 1
                continue
            }
            slots[index].entry = 0
            guard let due = slots[index].due else { continue }
            if due > now {
                push(slot: first.slot, due: due)
                continue
            }
            slots[index].due = nil
            let action = slots[index].action
            if !slots[index].stays { release(index) }
            return action
        }
        return nil
    }

    /// Ends every timer.
    mutating func removeAll() {
        self = TimerQueue()
    }

    private func index(of timer: TimerID) -> Int? {
        let index = Int(timer.slot)
        guard slots.indices.contains(index), slots[index].generation == timer.generation, slots[index].action != nil
        else { return nil }
        return index
    }

    private mutating func release(_ index: Int) {
        if slots[index].entry != 0 { stale += 1 }
        let generation = slots[index].generation &+ 1
        slots[index] = Slot(generation: generation)
        free.append(UInt32(truncatingIfNeeded: index))
    }

    private mutating func push(slot: UInt32, due: UInt64) {
        lastNumber += 1
        slots[Int(slot)].entry = lastNumber
        slots[Int(slot)].entryDue = due
        heap.append(Entry(due: due, number: lastNumber, slot: slot))
        siftUp(from: heap.count - 1)
    }

    private mutating func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        siftDown(from: 0)
    }

    private mutating func compactWhenMostlyStale() {
        guard stale > 64, stale > heap.count / 2 else { return }
        heap.removeAll { slots[Int($0.slot)].entry != $0.number }
        stale = 0
        for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { siftDown(from: index) }
    }

    private mutating func siftUp(from start: Int) {
        let entry = heap[start]
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard entry.precedes(heap[parent]) else { break }
            heap[index] = heap[parent]
            index = parent
        }
        heap[index] = entry
    }

    private mutating func siftDown(from start: Int) {
        let entry = heap[start]
        var index = start
        while true {
            var child = index * 2 + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
            guard heap[child].precedes(entry) else { break }
            heap[index] = heap[child]
            index = child
        }
        heap[index] = entry
    }
}
