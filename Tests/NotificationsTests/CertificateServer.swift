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

    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        requests.append(request)
        let number = requests.count
        if isHeld { await suspend { held.append($0) } }
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

/// A cache in front of a server that knows one certificate.
final class CertificateBench {
    let server = CertificateServer()
    let log = CapturedLog()
    let cache: CertificateCache

    init(
        serving certificate: String = "sns-leaf.pem",
        limits: CertificateCache.Limits = CertificateCache.Limits()
    ) throws {
        server.files[NotificationVectors.url] = try NotificationVectors.pem(certificate)
        cache = CertificateCache(
            exchange: server,
            chain: try NotificationVectors.chain(),
            limits: limits,
            logger: log.logger()
        )
    }

    var verifier: NotificationVerifier {
        NotificationVerifier(NotificationVectors.policy(), certificates: cache)
    }

    /// The word of the refusal, or `nil` where a key came.
    func refusal(
        _ url: String = NotificationVectors.url,
        at time: WallTime = NotificationVectors.clock
    ) async -> String? {
        guard let url = CertificateURLRule().certificateURL(url) else { return "no address" }
        do throws(NotificationRefusal) {
            _ = try await cache.key(for: url, at: time)
            return nil
        } catch {
            return error.verdict
        }
    }

    /// An address under which nothing was put.
    static func address(_ number: Int) -> String {
        "https://sns.us-east-1.amazonaws.com/Other-\(number).pem"
    }
}
