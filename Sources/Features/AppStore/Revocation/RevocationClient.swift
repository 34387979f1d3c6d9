import AppStoreTransactions
import Cryptography
import EventIO
import HTTPClient
import HTTPCore
import JOSE
import Primitives
import ServerCore
import Telemetry

/// Asks the authorities of signed texts whether their certificates are revoked (OCSP), and remembers the answers; one per loop.
///
/// An answer counts for all texts under the certificate until it ends, and no longer than twelve hours. Where none comes, nobody asks
/// again for a minute, so that an authority that is away does not cost each request a time-out. Not `Sendable`.
final class RevocationClient {
    private enum Answer: Hashable {
        case good
        case revoked
        /// None that counts.
        case unknown(SignedTextRefusal.Reason)

        var word: String {
            switch self {
            case .good: "good"
            case .revoked: "revoked"
            case .unknown(let reason): reason.rawValue
            }
        }
    }

    private struct Entry {
        let answer: Answer
        let keptUntil: MonotonicTime
        /// Counts up: the order of arrival.
        let serial: Int
    }

    /// How many certificates are remembered; Apple signs with a handful.
    static let capacity = 64
    /// How long an answer counts at most.
    static let longestLife = Duration.seconds(12 * 3_600)
    /// How long nobody is asked after an answer that does not count.
    static let pause = Duration.seconds(60)
    /// For one question.
    static let timeout = Duration.seconds(3)
    /// Bytes of an answer; those of Apple have some 2,000.
    static let longestAnswer = 16 << 10

    private let policy: RevocationPolicy
    private let metrics: PurchaseMetrics
    private let exchange: any HTTPExchange
    private let reactor: Reactor
    private let clock: any MonotonicClock
    private let log: Logger
    private let flights: SharedCalls<[UInt8], Answer>
    private var entries: [[UInt8]: Entry] = [:]
    private var serial = 0

    init(_ policy: RevocationPolicy, _ metrics: PurchaseMetrics, _ loop: LoopContext) {
        self.policy = policy
        self.metrics = metrics
        exchange = loop.client(.revocation)
        reactor = loop.reactor
        clock = SystemClock()
        log = loop.logger
        flights = SharedCalls { [reactor] body in reactor.startTask(body) }
    }

    /// Refuses certificates of which one is revoked, or where the policy wants an answer and there is none.
    func demandStanding(_ path: VerifiedPath, at now: WallTime) async throws(SignedTextRefusal) {
        let known = [path.leaf, path.intermediate].compactMap { remembered($0.der) }
        guard known.count < 2 else { return try judge(known) }
        let check: RevocationCheck
        do throws(SignedTextRefusal) {
            check = try RevocationCheck(path)
        } catch {
            return try goWithout(error.reason)
        }
        // Both are asked at once; who waits for one of them below shares the call.
        for question in check.questions.dropFirst() {
            reactor.startTask { _ = await self.answer(to: question, of: check, at: now) }
        }
        var answers: [Answer] = []
        for question in check.questions { answers.append(await answer(to: question, of: check, at: now)) }
        try judge(answers)
    }

    /// Has the policy decide on a text for whose certificates there is no answer.
    func goWithout(_ reason: SignedTextRefusal.Reason) throws(SignedTextRefusal) {
        try policy.demandAnswer(reason)
        metrics.countUnchecked(reason)
    }

    /// How many certificates are remembered.
    var rememberedCount: Int { entries.count }

    /// Forgets what was answered.
    func forget() { entries = [:] }

    private func judge(_ answers: [Answer]) throws(SignedTextRefusal) {
        guard !answers.contains(.revoked) else { throw .certificate(.revoked) }
        for case .unknown(let reason) in answers { return try goWithout(reason) }
    }

    // MARK: Asking

    private func answer(
        to question: RevocationCheck.Question,
        of check: RevocationCheck,
        at now: WallTime
    ) async -> Answer {
        let certificate = question.certificate.der
        return await flights.value(of: certificate) {
            remembered(certificate)
        } _: {
            let (answer, life) = await self.ask(question, of: check, at: now)
            self.keep(answer, of: certificate, for: life)
            self.report(answer, question)
            return answer
        }
    }

    private func ask(
        _ question: RevocationCheck.Question,
        of check: RevocationCheck,
        at now: WallTime
    ) async -> (Answer, Duration) {
        let request = OutboundRequest(
            method: "POST",
            url: question.url.origin + question.url.rest,
            fields: [("content-type", OCSPRequest.mediaType), ("accept", "application/ocsp-response")],
            body: question.body,
            timeout: RevocationClient.timeout
        )
        let response = try? await exchange.send(request)
        do throws(SignedTextRefusal) {
            let end = try check.verify(response, to: question, at: now)
            let rest = Duration.microseconds(end.microseconds - now.microseconds)
            return (.good, max(RevocationClient.pause, min(RevocationClient.longestLife, rest)))
        } catch {
            guard error.reason == .revoked else { return (.unknown(error.reason), RevocationClient.pause) }
            return (.revoked, RevocationClient.longestLife)
        }
    }

    private func report(_ answer: Answer, _ question: RevocationCheck.Question) {
        metrics.countRevocation(answer.word)
        let fields = [
            LogField("serial", Hex.encode(question.certificate.serialNumber)),
            LogField("responder", question.url.origin),
        ]
        switch answer {
        case .good: log.debug("app_store.certificate_good", fields)
        case .revoked: log.error("app_store.certificate_revoked", fields)
        case .unknown(let reason):
            log.warning("app_store.revocation_unknown", fields + [LogField("reason", reason.rawValue)])
        }
    }

    // MARK: Remembering

    private func remembered(_ certificate: [UInt8]) -> Answer? {
        guard let entry = entries[certificate], clock.monotonicNow() < entry.keptUntil else { return nil }
        return entry.answer
    }

    private func keep(_ answer: Answer, of certificate: [UInt8], for life: Duration) {
        let now = clock.monotonicNow()
        entries = entries.filter { now < $0.value.keptUntil }
        if entries.count >= RevocationClient.capacity,
            let oldest = entries.min(by: { $0.value.serial < $1.value.serial })
        {
            entries[oldest.key] = nil
        }
        serial += 1
        entries[certificate] = Entry(answer: answer, keptUntil: now + life, serial: serial)
    }
}

extension OutboundPurpose {
    /// Questions to the authorities of signed texts.
    ///
    /// The addresses stand in certificates that lead to a root of the operator's, so no text chooses one. They are plain http, as the
    /// authorities have them: the answers are signed.
    static var revocation: OutboundPurpose {
        var configuration = ClientConfiguration()
        configuration.clearText = .anyMachine
        configuration.bodyLimit = RevocationClient.longestAnswer
        configuration.headerLimit = 16 << 10
        configuration.concurrencyLimit = 8
        configuration.idleConnections = 2
        return OutboundPurpose("app_store_revocation", configuration)
    }
}
