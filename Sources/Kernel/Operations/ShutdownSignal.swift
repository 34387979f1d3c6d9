package import EventIO

/// Waits on a loop for a signal that ends the program.
package enum ShutdownSignal {
    /// The signals that a program with commands answers to; to be blocked before any thread is made.
    package static let all: SignalSet = [.terminate, .interrupt, .hangUp]

    /// Waits.
    ///
    /// - Parameters:
    ///   - signals: Blocked before any thread was made.
    ///   - companions: The end of one of them is the end, too.
    ///   - isEnd: Decides for each signal whether it is the end; what it does besides is its own affair.
    /// - Returns: The signal; `SupervisedProcessEnded`, or why no signal can be received.
    package static func wait(
        _ reactor: Reactor,
        for signals: SignalSet,
        beside companions: [SupervisedProcess] = [],
        isEnd: @escaping (Signal) -> Bool = { _ in true }
    ) async -> Result<Signal, any Error> {
        var source: SignalSource?
        defer { source?.cancel() }
        return await suspend { (suspension: Suspension<Result<Signal, any Error>>) in
            var isOver = false
            func end(_ result: Result<Signal, any Error>) {
                guard !isOver else { return }
                isOver = true
                suspension.resume(result)
            }
            for companion in companions {
                reactor.startTask {
                    do throws(IOError) {
                        let exit = try await companion.process.exit(on: reactor)
                        end(.failure(SupervisedProcessEnded(name: companion.name, exit: exit)))
                    } catch {
                        end(.failure(error))
                    }
                }
            }
            do throws(IOError) {
                source = try SignalSource(reactor, signals) { signal in
                    if !isOver, isEnd(signal) { end(.success(signal)) }
                }
            } catch {
                end(.failure(error))
            }
        }
    }
}
