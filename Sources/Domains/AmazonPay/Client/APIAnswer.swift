import HTTPCore
import Primitives

/// An answer of the service, of whatever kind.
struct APIAnswer: Sendable {
    let status: Int
    let body: [UInt8]
    /// What the body of a refusal names; `nil` also for HTML, an empty or a cut body.
    let reason: ReasonCode?
    let requestID: String?
    /// The service's clock, by the Date field.
    let date: WallTime?
    private let response: InboundResponse

    init(_ response: InboundResponse) {
        status = response.status
        body = response.body
        reason = (200...299).contains(response.status) ? nil : APIAnswer.reason(response.body)
        requestID = response.first("x-amz-pay-request-id").flatMap(APIAnswer.printable)
        date = response.first("date").flatMap(HTTPDate.time)
        self.response = response
    }

    /// Whether the service had no room for the call, which then had no effect.
    var isThrottled: Bool { status == 429 || status == 425 }

    /// The pause that the service asks for; `nil` where it does not say.
    ///
    /// - Parameter time: Of our clock; counts only where the service sends a date and not its own time.
    func retryAfter(at time: WallTime) -> Duration? { RetryAfter.pause(in: response, at: time) }

    var isSuccess: Bool { (200...299).contains(status) }

    /// The answer as a failure.
    func error(_ code: AmazonPayError.Code, _ detail: String = "") -> AmazonPayError {
        AmazonPayError(code, status: status, reason: reason, requestID: requestID, detail: detail)
    }

    private struct Refusal: Decodable {
        let reasonCode: String?
    }

    private static func reason(_ body: [UInt8]) -> ReasonCode? {
        do {
            let refusal: Refusal = try AnswerJSON.decode(body)
            return refusal.reasonCode.flatMap(ReasonCode.init(wire:))
        } catch {
            // Gateways answer with HTML or nothing; the status alone has to do.
            return nil
        }
    }

    private static func printable(_ text: String) -> String? {
        text.utf8.count <= 128 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? text : nil
    }
}
