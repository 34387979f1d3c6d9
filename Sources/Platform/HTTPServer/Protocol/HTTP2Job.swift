import EventIO
import HTTP2
import HTTPCore

/// One handler that takes its time; used again for another stream of its connection.
final class HTTP2Job: LoopJob, HTTP2Work {
    /// What a run is about.
    struct Assignment {
        let driver: HTTP2Driver
        let stream: HTTP2Stream
        let connection: Connection
        /// Whose share of the handlers it is of.
        let share: UInt64?
        let handler: () async throws -> HTTPResponse
    }

    private var assignment: Assignment?
    private var running: JobRun?
    private(set) var share: UInt64?

    /// Runs a handler and hands its response to the driver.
    func start(_ next: Assignment, on reactor: Reactor) {
        assignment = next
        share = next.share
        next.stream.work = self
        running = reactor.start(self)
    }

    func cancel() {
        running?.cancel()
    }

    func run() async {
        guard let present = assignment else { return }
        assignment = nil
        let (driver, stream, connection) = (present.driver, present.stream, present.connection)
        let response: HTTPResponse?
        do {
            response = try await present.handler()
        } catch {
            response = driver.answer(to: error, stream, on: connection)
        }
        running = nil
        driver.finish(response, stream, by: self, on: connection)
    }
}
