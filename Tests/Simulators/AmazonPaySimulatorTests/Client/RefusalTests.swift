import AmazonPay
import AmazonPaySimulator
import Commerce
import HTTPCore
import SimulatorCore
import StrictJSON
import Testing

/// The vendor's table of errors, row by row, as an answer to each call that moves money.
///
/// One simulator after the other: hundreds at once would starve each other's timers.
@Suite("An error of the service", .serialized)
struct RefusalTests {
    struct Line: Sendable, CustomTestStringConvertible {
        let status: Int
        let code: String
        let retry: AmazonPayError.Retry
        /// What a complete of an open session comes to.
        let complete: String
        /// What a capture of an authorised charge comes to.
        let capture: String
        /// What creating a charge or a refund comes to.
        let create: String

        var testDescription: String { "\(status) \(code)" }
    }

    // MARK: Errors that are final

    private static let final: [Line] =
        lines(
            400,
            """
            InvalidHeaderValue MissingHeader MissingHeaderValue InvalidRequest InvalidRequestFormat InvalidParameterValue \
            MissingParameterValue UnrecognizedField InvalidParameterCombination InvalidAPIVersion \
            TransactionAmountExceeded PeriodicAmountExceeded InvalidSandboxSimulationSpecified
            """
        ) + lines(400, "CurrencyMismatch")
        // The key was used for other octets: what came of those is for a person to find out.
        + [
            Line(
                status: 400,
                code: "DuplicateIdempotencyKey",
                retry: .never,
                complete: "unknown DuplicateIdempotencyKey",
                capture: "unknown DuplicateIdempotencyKey",
                create: "unknown DuplicateIdempotencyKey"
            )
        ]
        + lines(401, "UnauthorizedAccess")
        + lines(403, "InvalidAuthentication InvalidAccountStatus InvalidRequestSignature InvalidAuthorizationToken")
        + lines(404, "ResourceNotFound") + lines(405, "UnsupportedOperation RequestNotSupported")
        + lines(409, "AmountMismatch")
        + lines(422, "InvalidCheckoutSessionStatus MFANotCompleted", isDoubtful: true, complete: "not ready")
        + lines(
            422,
            """
            CheckoutSessionCanceled InvalidChargeStatus InvalidChargePermissionStatus ChargePermissionNotModifiable \
            TransactionCountExceeded
            """,
            isDoubtful: true
        )
        + ["PaymentMethodNotAllowed", "AmazonRejected", "HardDeclined"].flatMap { code in
            lines(422, code, isDoubtful: true, complete: "declined " + code)
        }
        + ["SoftDeclined", "TransactionTimedOut"].flatMap { code in
            lines(422, code, .newAttempt, isDoubtful: true, complete: "declined " + code)
        }
        + lines(426, "TLSVersionNotSupported")

    private static func lines(
        _ status: Int,
        _ codes: String,
        _ retry: AmazonPayError.Retry = .never,
        isDoubtful: Bool = false,
        complete: String? = nil
    ) -> [Line] {
        codes.split(separator: " ").map { code in
            Line(
                status: status,
                code: String(code),
                retry: retry,
                complete: complete ?? "rejected \(code)",
                capture: "refused \(code)" + (isDoubtful ? " +" : ""),
                create: "refused \(code)"
            )
        }
    }

    @Test(arguments: final)
    func `that is final is not repeated, and nothing has happened`(line: Line) async throws {
        try await withSimulator { bench in
            let shop = try ClientShop(bench)
            let session = try await shop.held()
            #expect(
                try await shop.failing("CompleteCheckoutSession", line) { await shop.complete(session).name }
                    == line.complete
            )
            let charge = try #require(ChargeID(await shop.complete(session).session?.chargeID ?? ""))
            #expect(try await shop.failing("CaptureCharge", line) { await shop.capture(charge) } == line.capture)
            #expect(await shop.capture(charge) == "done")
            #expect(try await shop.failing("CreateRefund", line) { await shop.refund(charge) } == line.create)
            #expect(await shop.refund(charge) == "pending")
            let permission = try await shop.confirmed()
            let outcome = try await shop.failing("CreateCharge", line) { await shop.charge(permission, 100) }
            #expect(outcome.name == line.create)
            if case .refused(let error, _) = outcome {
                #expect(error.status == line.status)
                #expect(error.retry == line.retry)
                #expect(error.requestID?.isEmpty == false)
            }
            #expect(await shop.charge(permission, 100).name == "done")
            try await expectSingleEffects(shop)
        }
    }

    @Test(arguments: final)
    func `that is final is told by every other call`(line: Line) async throws {
        try await withSimulator { bench in
            let shop = try ClientShop(bench)
            let session = try await shop.held()
            let charge = try await shop.charge(in: .captured)
            let refund = try #require(RefundID(charge.permission.text + "-R000000"))
            let word = "refused \(line.status) \(line.code)"
            let client = shop.client
            let calls: [(String, () async throws(AmazonPayError) -> Void)] = [
                ("GetCheckoutSession", { () async throws(AmazonPayError) in _ = try await client.session(session) }),
                ("GetCharge", { () async throws(AmazonPayError) in _ = try await client.charge(charge) }),
                ("GetRefund", { () async throws(AmazonPayError) in _ = try await client.refund(refund) }),
                (
                    "GetChargePermission",
                    { () async throws(AmazonPayError) in _ = try await client.permission(charge.permission) }
                ),
                (
                    "UpdateChargePermission",
                    { () async throws(AmazonPayError) in
                        _ = try await client.updatePermission(charge.permission, MerchantMetadata())
                    }
                ),
            ]
            for (operation, call) in calls {
                let said = try await shop.failing(operation, line) {
                    await shop.word { () async throws(AmazonPayError) in
                        try await call()
                        return "done"
                    }
                }
                #expect(said == word, "\(operation)")
            }
        }
    }

    // MARK: Errors that pass

    struct Passing: Sendable, CustomTestStringConvertible {
        let status: Int
        /// `nil` where a gateway says it in HTML.
        let code: String?
        /// Whether the service may have done it all the same; where it had no room it has not.
        let isUnclear: Bool

        var testDescription: String { "\(status) \(code ?? "HTML")" }

        var action: JSONValue {
            code.map { ["status": JSONValue(status), "reasonCode": .string($0)] }
                ?? ["status": JSONValue(status), "htmlBody": true]
        }

        /// One that no repeat of the call outlasts: three times, or with more time asked for than there is.
        var lasting: (action: JSONValue, tries: Int) {
            guard !isUnclear, case .object(let members) = action else { return (action, 3) }
            return (.object(members + [JSONMember("retryAfter", "3600")]), 1)
        }
    }

    private static let passing = [
        Passing(status: 408, code: "RequestTimeout", isUnclear: true),
        Passing(status: 425, code: "TooEarly", isUnclear: false), Passing(status: 425, code: nil, isUnclear: false),
        Passing(status: 429, code: "TooManyRequests", isUnclear: false),
        Passing(status: 500, code: "InternalServerError", isUnclear: true),
        Passing(status: 500, code: "ProcessingFailure", isUnclear: true),
        Passing(status: 500, code: nil, isUnclear: true), Passing(status: 502, code: nil, isUnclear: true),
        Passing(status: 503, code: "ServiceUnavailable", isUnclear: true),
        Passing(status: 503, code: nil, isUnclear: true), Passing(status: 504, code: nil, isUnclear: true),
    ]

    @Test(arguments: passing)
    func `that passes is waited out under the same key`(error: Passing) async throws {
        try await withSimulator { bench in
            let shop = try ClientShop(bench)
            let session = try await shop.held()
            let calls = try await shop.trying("CompleteCheckoutSession", error.action, times: 2) {
                #expect(await shop.complete(session).name == "completed")
            }
            expectOneRequest(calls, tries: 3)
            let charge = try #require(ChargeID(try await shop.client.session(session).chargeID ?? ""))
            expectOneRequest(
                try await shop.trying("CaptureCharge", error.action, times: 2) {
                    #expect(await shop.capture(charge) == "done")
                },
                tries: 3
            )
            expectOneRequest(
                try await shop.trying("CreateRefund", error.action, times: 2) {
                    #expect(await shop.refund(charge) == "pending")
                },
                tries: 3
            )
            let permission = try await shop.confirmed()
            expectOneRequest(
                try await shop.trying("CreateCharge", error.action, times: 2) {
                    #expect(await shop.charge(permission, 100).name == "done")
                },
                tries: 3
            )
            try await expectSingleEffects(shop)
        }
    }

    @Test(arguments: passing)
    func `that does not pass leaves the call to a recovery`(error: Passing) async throws {
        try await withSimulator { bench in
            let shop = try ClientShop(bench)
            let left = error.isUnclear ? "unknown" : "not sent"
            let charge = try await shop.charge(in: .authorized)
            let permission = try await shop.confirmed()
            let steps: [(operation: String, call: PayingCall, end: String)] = [
                ("CaptureCharge", .capture(charge, ClientShop.yen, key: shop.key()), "done"),
                ("CreateRefund", .refund(charge, ClientShop.yen, key: shop.key()), "pending"),
                ("CreateCharge", shop.creation(permission, 100), "done"),
            ]
            // Three processing failures in a row decline a new charge: nothing is left to a recovery.
            for step in steps where error.code != "ProcessingFailure" || step.operation != "CreateCharge" {
                let (action, tries) = error.lasting
                let requests = try await shop.trying(step.operation, action, times: tries) {
                    #expect(await shop.pay(step.call).hasPrefix(left), "\(step.operation)")
                }
                expectOneRequest(requests, tries: tries)
                let call = error.isUnclear ? step.call.asRecovery() : step.call
                #expect(await shop.pay(call) == step.end, "\(step.operation)")
                #expect(try await shop.effects(step.operation) == 1)
            }
        }
    }

    /// All tries of a call are the same octets under the same key, signed each for itself.
    private func expectOneRequest(_ requests: [OutboundRequest], tries: Int) {
        #expect(requests.count == tries)
        #expect(Set(requests.map(\.body)).count == 1)
        let keys = requests.map { request in request.fields.first { $0.0 == "x-amz-pay-idempotency-key" }?.1 }
        #expect(Set(keys).count == 1 && keys.first != .some(nil))
        #expect(Set(requests.map { $0.fields.first { $0.0 == "authorization" }?.1 }).count == tries)
    }

    private func expectSingleEffects(_ shop: ClientShop) async throws {
        for operation in ["CaptureCharge", "CreateRefund", "CreateCharge"] {
            #expect(try await shop.effects(operation) == 1, "\(operation)")
        }
    }
}

extension ClientShop {
    /// Makes the next call of an operation fail, and looks that it is sent once.
    fileprivate func failing<Result>(
        _ operation: String,
        _ line: RefusalTests.Line,
        _ call: () async throws -> Result
    ) async throws -> Result {
        let action: JSONValue = ["status": JSONValue(line.status), "reasonCode": .string(line.code)]
        var result: Result?
        let requests = try await trying(operation, action, times: 1) { result = try await call() }
        #expect(requests.count == 1, "\(operation)")
        return try #require(result)
    }

    /// Makes the next calls of an operation fail.
    ///
    /// - Returns: The requests of that kind that went out; readings on the way are left out where the call is none.
    fileprivate func trying(
        _ operation: String,
        _ action: JSONValue,
        times: Int,
        _ call: () async throws -> Void
    ) async throws -> [OutboundRequest] {
        let match: JSONValue = ["operation": .string(operation), "count": JSONValue(times)]
        try await bench.control("POST", "faults", ["match": match, "action": action])
        wire.forget()
        try await call()
        return wire.sent.filter { operation.hasPrefix("Get") || $0.method != "GET" }
    }
}
