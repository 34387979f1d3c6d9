import EventIO

/// Waits on a loop for a signal that ends the program.
enum EndSignal {
    /// Waits.
    ///
    /// - Parameters:
    ///   - reactor: The loop's.
    ///   - signals: Blocked before any thread was made.
    ///   - isEnd: Decides for each signal whether it is the end; what it does besides is its own affair.
    /// - Returns: The signal, or why none can be received.
    static func wait(
        _ reactor: Reactor,
        for signals: SignalSet,
        isEnd: @escaping (Signal) -> Bool = { _ in true }
    ) async -> Result<Signal, IOError> {
        var source: SignalSource?
        defer { source?.cancel() }
        return await suspend { (suspension: Suspension<Result<Signal, IOError>>) in
            var isOver = false
            do throws(IOError) {
                source = try SignalSource(reactor, signals) { signal in
                    guard !isOver, isEnd(signal) else { return }
                    isOver = true
                    suspension.resume(.success(signal))
                }
            } catch {
                suspension.resume(.failure(error))
            }
        }
    }
}
