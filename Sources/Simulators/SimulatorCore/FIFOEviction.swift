/// Ids in the order they came, with a limit.
package struct FIFOEviction: Sendable, Codable {
    private var ids: [String] = []
    private var next = 0
    private let capacity: Int

    /// No ids yet, and room for so many.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// Notes an id.
    ///
    /// - Returns: The oldest one where it has to make room.
    package mutating func add(_ id: String) -> String? {
        guard ids.count >= capacity else {
            ids.append(id)
            return nil
        }
        let oldest = ids[next]
        ids[next] = id
        next = (next + 1) % capacity
        return oldest
    }

    /// The latest ids, newest first.
    package func latest(_ count: Int) -> [String] {
        (ids[..<next].reversed() + ids[next...].reversed()).prefix(count).map { $0 }
    }
}
