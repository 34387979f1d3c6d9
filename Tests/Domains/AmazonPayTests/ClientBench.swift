import AmazonPay
import Commerce
import Cryptography
import Foundation
import HTTPCore
import Primitives
import TestKit

/// Answers from a list, and keeps what it was asked.
final class ScriptedExchange: HTTPExchange {
    enum Step {
        case answer(Int, String = "", [(String, String)] = [])
        case failure(HTTPExchangeError.Code)
    }

    var steps: [Step] = []
    /// How long each exchange takes.
    var duration = Duration.milliseconds(100)
    var passing: (Duration) -> Void = { _ in }
    private(set) var requests: [OutboundRequest] = []

    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        requests.append(request)
        passing(min(duration, request.timeout))
        guard !steps.isEmpty else { throw HTTPExchangeError(.protocolViolation, detail: "the script is over") }
        switch steps.removeFirst() {
        case .answer(let status, let body, let fields):
            return InboundResponse(status: status, fields: fields, body: Array(body.utf8))
        case .failure(let code):
            throw HTTPExchangeError(code)
        }
    }
}

/// A client with a scripted service and clocks that only move when something takes time.
final class ClientBench {
    static let session = "3f1c2d9e-7b40-4f0a-9a55-6f2c8f5b0e11"

    let exchange = ScriptedExchange()
    let log = CapturedLog()
    let clock = ManualClock(at: vectorTime)
    private(set) var pauses: [Duration] = []
    private(set) var signatures = 0
    private(set) var uptime = Duration.seconds(1000)
    var signing: SignatureResult?
    /// How long a signature waits for its worker.
    var signingTime = Duration.zero

    init() {
        exchange.passing = { [unowned self] in pass($0) }
    }

    func pass(_ duration: Duration) {
        uptime += duration
        clock.advance(by: duration)
    }

    func client(_ table: QuotaTable = .unlimited) throws -> CheckoutClient {
        let timing = CallTiming(
            sleep: { [unowned self] pause in
                pauses.append(pause)
                pass(pause)
            },
            uptime: { [unowned self] in uptime },
            clock: clock,
            random: SeededRandom(seed: 7)
        )
        let credentials = try TestAccount.credentials()
        return CheckoutClient(
            credentials,
            endpoint: AmazonPayEndpoint(.japan),
            quota: CallQuota(table),
            over: exchange,
            signOffLoop: { [unowned self] work in
                signatures += 1
                pass(signingTime)
                return signing ?? work()
            },
            timing: timing,
            logger: log.logger()
        )
    }

    static func id() throws -> CheckoutSessionID {
        guard let id = CheckoutSessionID(session) else { throw AmazonPayError(.unreadable) }
        return id
    }

    /// A session's text with the members that the client looks at.
    static func body(_ state: String, reason: String? = nil, amount: String? = "28536", id: String = session) -> String
    {
        let payment = amount.map { #"{"chargeAmount":{"amount":"\#($0)","currencyCode":"JPY"}}"# } ?? "null"
        let code = reason.map { "\"\($0)\"" } ?? "null"
        let charge = state == "Completed" ? charge : "null"
        return """
            {"checkoutSessionId":"\(id)","statusDetails":{"state":"\(state)","reasonCode":\(code)},\
            "paymentDetails":\(payment),"chargeId":\(charge),"chargePermissionId":"S03-1234567-7654321"}
            """
    }

    /// The charge of a completed session, as JSON.
    static let charge = #""S03-1234567-7654321-C012345""#

    /// A completed session whose completion did not wait for the bank.
    static let pendingBody = body("Completed").replacing(
        #""currencyCode":"JPY"}}"#,
        with: #""currencyCode":"JPY"},"canHandlePendingAuthorization":true}"#
    )

    static func refusal(_ reason: String) -> String {
        #"{"reasonCode":"\#(reason)","message":"Sample text."}"#
    }
}

extension OutboundRequest {
    func first(_ name: String) -> String? { fields.first { $0.0 == name }?.1 }

    /// As the service sees it.
    var signed: SignedRequest {
        let path = url.replacing("https://pay-api.amazon.jp", with: "")
        return SignedRequest(method: method, path: path, fields: fields, body: body)
    }
}
