import EventIO
import HTTPClient
package import HTTPCore
import Telemetry
import TestKit

/// The one HTTP client of the tests: sends a request to where its host is in truth, believes one authority, and waits.
///
/// It keeps no cookies and follows no redirects. Buyers, apps and merchants' servers are roles on top of it.
package struct TestClient: Sendable {
    /// Where hosts are in truth.
    let hosts: HostTable
    /// The origin of paths.
    let home: String
    private let loop: ClientLoop

    /// A client for paths of an origin, on the loop of all clients unless another one is given.
    package init(_ hosts: HostTable = HostTable(), home: String = "", on loop: ClientLoop = .shared) {
        self.hosts = hosts
        self.home = home
        self.loop = loop
    }

    /// Sends one request, with a form or with other content, and waits for the answer.
    ///
    /// - Parameters:
    ///   - url: Absolute, or a path of `home`.
    ///   - fields: All but the content type of a form; `Host` replaces the host of the URL.
    package func send(
        _ method: String = "GET",
        _ url: String,
        fields: [(String, String)] = [],
        form: [(String, String)]? = nil,
        body: [UInt8] = []
    ) async throws -> Page {
        let url = URLParts(url, base: home)
        let truth = hosts.truth(of: url)
        var fields = fields
        if !fields.contains(where: { $0.0 == "Host" }) { fields.append(("Host", truth.host)) }
        if form != nil, !fields.contains(where: { $0.0 == "Content-Type" }) {
            fields.append(("Content-Type", "application/x-www-form-urlencoded"))
        }
        let content = form.map { Array(FormCoding.encode($0).utf8) } ?? body
        let request = OutboundRequest(method: method, url: truth.url, fields: fields, body: content)
        return Page(url: url, response: try await loop.send(request, over: hosts.version(for: url)))
    }
}

/// A loop that sends the requests of test clients on any thread.
package final class ClientLoop: Sendable {
    private struct Job: Sendable {
        let request: OutboundRequest
        let version: HTTPVersion
        let answer: CheckedContinuation<Result<InboundResponse, HTTPExchangeError>, Never>
    }

    /// The loop of all test clients of this process, which believe the tests' authority.
    package static let shared = ClientLoop { try TestKeys.get().authorityPath }

    private let jobs = AsyncStream<Job>.makeStream()
    private let loop: Result<EventLoop, any Error>

    /// A loop whose clients believe the authority of a PEM file.
    package init(trusting path: () throws -> String) {
        loop = Result { [jobs] in
            var first = ClientConfiguration.patient(trusting: try path())
            first.concurrencyLimit = 4_096
            first.idleConnections = 512
            var second = first
            second.version = .http2
            let configurations = (first, second)
            let loop = try EventLoop(name: "clients", logger: .silent)
            try loop.start()
            loop.execute { reactor in
                let client = CurlClient(reactor, configuration: configurations.0)
                let client2 = CurlClient(reactor, configuration: configurations.1)
                reactor.startTask {
                    for await job in jobs.stream {
                        reactor.startTask { await Self.answer(job, job.version == .http1 ? client : client2) }
                    }
                }
            }
            return loop
        }
    }

    /// Sends one request and waits for the whole response, whatever its status; the timeout of the request does not count.
    package func send(
        _ request: OutboundRequest,
        over version: HTTPVersion = .http1
    ) async throws -> InboundResponse {
        _ = try loop.get()
        let result = await withCheckedContinuation {
            jobs.continuation.yield(Job(request: request.patient, version: version, answer: $0))
        }
        return try result.get()
    }

    private static func answer(_ job: Job, _ client: CurlClient) async {
        do throws(HTTPExchangeError) {
            job.answer.resume(returning: .success(try await client.send(job.request)))
        } catch {
            job.answer.resume(returning: .failure(error))
        }
    }
}
