/// Lets those who ask for the same at the same time share one call (single flight); one per loop.
///
/// A call is a task of its own. It goes on when those who wait for it are cancelled, so nobody's departure ends the wait of
/// another one, and everybody waits as long as the call takes: its body has a deadline.
package final class SharedCalls<Key: Hashable, Value> {
    private var waiting: [Key: [Suspension<Value>]] = [:]
    private let startTask: (@escaping () async -> Void) -> Void

    /// Calls of which none is under way.
    ///
    /// - Parameter startTask: Starts a task on the loop, perhaps at once.
    package init(startTask: @escaping (@escaping () async -> Void) -> Void) {
        self.startTask = startTask
    }

    /// How many calls are under way.
    package var count: Int { waiting.count }

    /// Whether a call is under way that another one would share.
    package func isUnderWay(_ key: Key) -> Bool { waiting[key] != nil }

    /// The value of the call that is under way, or of one that begins now.
    ///
    /// - Parameters:
    ///   - known: Asked where no call is under way; a value that it has is the answer, and no call begins.
    /// - Returns: The same for all who share a call.
    package func value(
        of key: Key,
        unless known: () -> Value? = { nil },
        _ body: @escaping () async -> Value
    ) async -> Value {
        await suspend { (suspension: Suspension<Value>) in
            // Looked at in here: before the suspension another job of the loop may run, and end the call that was under way.
            guard waiting[key] == nil else {
                waiting[key]?.append(suspension)
                return
            }
            if let value = known() { return suspension.resume(value) }
            waiting[key] = [suspension]
            startTask {
                let value = await body()
                for asker in self.waiting.removeValue(forKey: key) ?? [] { asker.resume(value) }
            }
        }
    }
}
