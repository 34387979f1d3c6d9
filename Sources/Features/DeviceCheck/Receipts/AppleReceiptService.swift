import Cryptography
import DeviceAttestation
import EventIO
import HTTPCore
import Primitives
import ServerCore
import Telemetry

/// Apple's service that exchanges receipts of App Attest, as one loop asks it, with the bearer token of all calls of the process.
///
/// Not `Sendable`.
final class AppleReceiptService {
    private let url: String
    private let access: AppleDeviceAccess
    private let exchange: any HTTPExchange
    private let reactor: Reactor
    private let log: Logger

    /// - Parameter address: Without the path of the call.
    init(at address: String, _ access: AppleDeviceAccess, over exchange: any HTTPExchange, _ loop: LoopContext) {
        url = address + AttestReceiptAnswer.path
        self.access = access
        self.exchange = exchange
        (reactor, log) = (loop.reactor, loop.logger)
    }

    /// What came of a call.
    struct Reply {
        let answer: AttestReceiptAnswer
        /// The pause that it asks for, or for which calls are kept back.
        var retryAfter: Duration?
        /// Whether nothing was asked, for a pause.
        var isHeld = false
    }

    /// Nobody waits for it.
    private static let timeout = Duration.seconds(10)

    /// Asks for a newer receipt; once more with a new bearer token where the token is refused.
    func renew(_ receipt: [UInt8]) async -> Reply {
        if let wait = access.receipts.withLock({ $0.wait(at: reactor.now) }) {
            return Reply(answer: .unavailable, retryAfter: wait, isHeld: true)
        }
        for isLast in [false, true] {
            let bearer: Secret<String>
            do throws(CryptographyError) {
                bearer = try access.tokens.token(at: reactor.wallNow)
            } catch {
                log.error("device_check.token_failed", [LogField("detail", error.debugDescription)])
                return Reply(answer: .unavailable)
            }
            let response = await send(receipt, bearer)
            let answer = response.map { AttestReceiptAnswer(status: $0.status, content: $0.body) } ?? .unavailable
            let pause = response.flatMap { RetryAfter.pause(in: $0, at: reactor.wallNow) }
            let isFinal = isLast || response?.status != 401
            access.receipts.withLock {
                $0.note(answer.ofService, retryAfter: pause, isFinal: isFinal, at: reactor.now)
            }
            guard !isFinal else {
                report(answer, response)
                return Reply(answer: answer, retryAfter: pause)
            }
            access.tokens.drop(bearer)
        }
        return Reply(answer: .credentials)
    }

    private func send(_ receipt: [UInt8], _ bearer: Secret<String>) async -> InboundResponse? {
        let request = OutboundRequest(
            method: "POST",
            url: url,
            // As Apple documents it: this service wants no word in front of the token.
            fields: [("Authorization", bearer.reveal()), ("Content-Type", "base64")],
            body: Array(Base64.encode(receipt).utf8),
            timeout: AppleReceiptService.timeout
        )
        return try? await exchange.send(request)
    }

    /// Says what an operator has to see.
    private func report(_ answer: AttestReceiptAnswer, _ response: InboundResponse?) {
        guard let response else { return }
        var fields = [LogField("call", "attestationData"), LogField("status", response.status)]
        if let id = AppleDeviceService.correlation(response).first { fields.append(LogField("request", id.value)) }
        switch answer {
        case .credentials: log.error("device_check.key_refused", fields)
        case .badRequest: log.error("device_check.request_refused", fields)
        case .unreadable: log.warning("device_check.answer_unreadable", fields)
        case .receipt, .early, .noData, .throttled, .unavailable: break
        }
    }
}
