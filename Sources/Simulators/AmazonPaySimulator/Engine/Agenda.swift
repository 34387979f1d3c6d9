import Primitives

/// What will happen by itself, by time: a binary heap whose ties keep their order.
struct Agenda: Sendable, Codable {
    enum Event: Sendable, Equatable, Codable {
        case sessionExpires(String)
        case sessionIsForgotten(String)
        case authorizationIsDecided(chargeID: String, declines: Bool)
        case authorizationExpires(chargeID: String)
        case captureSettles(chargeID: String)
        case permissionExpires(String)
        case refundSettles(String)
        case signInIsForgotten(String)
    }

    private struct Entry: Codable {
        let time: WallTime
        let number: UInt64
        let event: Event

        static func < (left: Entry, right: Entry) -> Bool {
            (left.time, left.number) < (right.time, right.number)
        }
    }

    private var heap: [Entry] = []
    private var nextNumber: UInt64 = 0

    var isEmpty: Bool { heap.isEmpty }

    /// How many events are planned.
    var count: Int { heap.count }

    /// When the earliest event is due; `nil` while nothing is planned.
    var next: WallTime? { heap.first?.time }

    mutating func add(_ event: Event, at time: WallTime) {
        heap.append(Entry(time: time, number: nextNumber, event: event))
        nextNumber += 1
        var child = heap.count - 1
        while child > 0, heap[child] < heap[(child - 1) / 2] {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes the earliest event that is due, or `nil` where none is.
    mutating func takeDue(at now: WallTime) -> (time: WallTime, event: Event)? {
        guard let first = heap.first, first.time <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            guard least != parent else { break }
            heap.swapAt(parent, least)
            parent = least
        }
        return (first.time, first.event)
    }

    /// Drops the events that would happen to nothing; the others keep their order.
    mutating func keep(where isAwaited: (Event) -> Bool) {
        // What is sorted is a heap.
        heap = heap.filter { isAwaited($0.event) }.sorted { $0 < $1 }
    }
}
