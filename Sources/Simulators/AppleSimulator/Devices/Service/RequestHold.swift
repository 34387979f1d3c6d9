import Primitives

/// Requests about one device that wait until so many have come, so that a test can have them cross each other.
///
/// They have been checked, and have had no effect. Then they go on in the order in which they came.
struct RequestHold: Sendable {
    let device: Int
    let operation: DeviceCheckOperation
    /// How many have to come.
    let requests: Int
    /// When it ends in any case.
    let deadline: WallTime
    private(set) var isOpen = false
    /// Those that wait, by number.
    private var waiting: [Int] = []

    /// How long a client may have to wait.
    static let longest = Duration.seconds(60)

    init(_ operation: DeviceCheckOperation, of device: Int, requests: Int, deadline: WallTime) {
        (self.operation, self.device, self.requests, self.deadline) = (operation, device, requests, deadline)
    }

    var count: Int { waiting.count }

    func has(_ ticket: Int) -> Bool { waiting.contains(ticket) }

    /// Lets a request wait.
    mutating func add(_ ticket: Int) {
        waiting.append(ticket)
        isOpen = isOpen || waiting.count >= requests
    }

    /// Lets those go that wait, and stops nobody any more.
    mutating func open() { isOpen = true }

    /// Whether a request may go on; one that may is forgotten.
    mutating func release(_ ticket: Int, at time: WallTime) -> Bool {
        guard time >= deadline || (isOpen && waiting.first == ticket) else { return false }
        waiting.removeAll { $0 == ticket }
        return true
    }
}
