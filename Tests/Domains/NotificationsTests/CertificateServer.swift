import Cryptography
import EventIO
import HTTPCore
import Notifications
import Primitives
import TestKit

/// Answers for the notification service, and keeps what it was asked.
final class CertificateServer: HTTPExchange {
    private(set) var requests: [OutboundRequest] = []
    /// What lies at an address; everything else is not found.
    var files: [String: [UInt8]] = [:]
    /// What the answer is instead; asked with the number of the request, from 1 on.
    var failure: (Int) -> HTTPExchangeError? = { _ in nil }
    /// Whether answers wait until they are released.
    var isHeld = false
    private var held: [Suspension<Void>] = []
    /// Fetches whose task was cancelled.
    private(set) var cancelledCount = 0

    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        requests.append(request)
        let number = requests.count
        if isHeld { await suspend { held.append($0) } }
        if Task.isCancelled { cancelledCount += 1 }
        if let error = failure(number) { throw error }
        guard let file = files[request.url] else { return InboundResponse(status: 404) }
        return InboundResponse(status: 200, body: file)
    }

    func release() {
        isHeld = false
        let waiting = held
        held = []
        for suspension in waiting { suspension.resume() }
    }
}

/// A clock that stands where a test puts it; a month before the calendar's there is still one.
final class Ticks: MonotonicClock {
    private let time = Lock(Ticks.start)
    private static let start: Int64 = 40 * 366 * 86_400

    func monotonicNow() -> MonotonicTime { MonotonicTime(nanoseconds: UInt64(time.withLock { $0 }) * 1_000_000_000) }

    func set(_ seconds: Int64) {
        time.withLock { $0 = Ticks.start + seconds }
    }
}

/// A cache in front of a server that knows one certificate.
final class CertificateBench {
    let server = CertificateServer()
    let log = CapturedLog()
    let cache: CertificateCache
    private let ticks = Ticks()

    init(
        on reactor: Reactor,
        serving certificate: String = "sns-leaf.pem",
        limits: CertificateCache.Limits = CertificateCache.Limits()
    ) throws {
        server.files[NotificationVectors.url] = try NotificationVectors.pem(certificate)
        cache = CertificateCache(
            exchange: server,
            chain: try NotificationVectors.chain(),
            limits: limits,
            clock: ticks,
            startTask: { reactor.startTask($0) },
            logger: log.logger()
        )
    }

    var verifier: NotificationVerifier {
        NotificationVerifier(NotificationVectors.policy(), certificates: cache)
    }

    /// The word of the refusal, or `nil` where a key came.
    ///
    /// - Parameters:
    ///   - url: An address.
    ///   - time: Of the calendar.
    ///   - seconds: Since the beginning, by the clock that nobody sets; as far as the calendar unless that was set.
    func refusal(
        _ url: String = NotificationVectors.url,
        at time: WallTime = NotificationVectors.clock,
        after seconds: Int64? = nil
    ) async -> String? {
        ticks.set(seconds ?? time.seconds - NotificationVectors.clock.seconds)
        guard let url = CertificateURLRule().certificateURL(url) else { return "no address" }
        do throws(NotificationRefusal) {
            _ = try await cache.key(for: url, at: time)
            return nil
        } catch {
            return error.outcome
        }
    }

    /// An address under which nothing was put.
    static func address(_ number: Int) -> String {
        "https://sns.us-east-1.amazonaws.com/Other-\(number).pem"
    }
}
