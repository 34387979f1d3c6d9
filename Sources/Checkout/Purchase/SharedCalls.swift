import EventIO

/// Lets those who ask for the same at the same time share one call (single flight); one per loop.
package final class SharedCalls<Key: Hashable, Value> {
    private var waiting: [Key: [Suspension<Value>]] = [:]
    private let startTask: (@escaping () async -> Void) -> Void

    /// - Parameter startTask: Starts a task on the loop, perhaps at once.
    init(startTask: @escaping (@escaping () async -> Void) -> Void) {
        self.startTask = startTask
    }

    /// Whether a call is under way that another one would share.
    func isUnderWay(_ key: Key) -> Bool { waiting[key] != nil }

    /// The value of the call that is under way, or of one that begins now.
    ///
    /// A task of its own carries it out, so it goes on when the first caller goes away.
    func value(of key: Key, _ body: @escaping () async -> Value) async -> Value {
        await suspend { (suspension: Suspension<Value>) in
            guard waiting[key] == nil else {
                waiting[key]?.append(suspension)
                return
            }
            waiting[key] = [suspension]
            startTask {
                let value = await body()
                for asker in self.waiting.removeValue(forKey: key) ?? [] { asker.resume(value) }
            }
        }
    }
}
