import EventIO
package import HTTPClient
package import HTTPCore
import Telemetry

/// The loop that sends the requests of all test clients of this process.
package enum ClientLoop {
    private struct Job: Sendable {
        let request: OutboundRequest
        let version: ClientConfiguration.Version
        let answer: CheckedContinuation<Result<InboundResponse, HTTPExchangeError>, Never>
    }

    private static let jobs = AsyncStream<Job>.makeStream()
    private static let loop = Result { try start() }

    /// Sends one request and waits for the whole response.
    ///
    /// - Parameters:
    ///   - request: What to send; its timeout does not count.
    ///   - version: What to speak.
    /// - Returns: The response, whatever its status.
    /// - Throws: `HTTPExchangeError`, or `IOError` where there is no loop to be had.
    package static func send(
        _ request: OutboundRequest,
        over version: ClientConfiguration.Version = .http1
    ) async throws -> InboundResponse {
        _ = try loop.get()
        let result = await withCheckedContinuation {
            jobs.continuation.yield(Job(request: request.patient, version: version, answer: $0))
        }
        return try result.get()
    }

    private static func start() throws -> EventLoop {
        let loop = try EventLoop(name: "clients", logger: .silent)
        let authority = try TestKeys.get().authorityPath
        try loop.start()
        loop.execute { reactor in
            var configuration = ClientConfiguration.patient
            configuration.trust = .file(path: authority)
            let client = CurlClient(reactor, configuration: configuration)
            configuration.version = .http2
            let client2 = CurlClient(reactor, configuration: configuration)
            reactor.startTask {
                for await job in jobs.stream {
                    reactor.startTask { await answer(job, job.version == .http1 ? client : client2) }
                }
            }
        }
        return loop
    }

    private static func answer(_ job: Job, _ client: CurlClient) async {
        do throws(HTTPExchangeError) {
            job.answer.resume(returning: .success(try await client.send(job.request)))
        } catch {
            job.answer.resume(returning: .failure(error))
        }
    }
}
