import Checkout
import CheckoutCodes
import HTTPCore
import MerchantAPI
import MerchantOrders
import Primitives
import ServiceAPI
import StrictJSON
import Web

/// The routes below `/v1` that are about money.
enum PaymentHandlers {
    /// Answers `POST /v1/sessions/{id}/charges`.
    @Sendable static func createCharge(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        var body = try call.body()
        let amount = try body.money("amount")
        let capturesNow = try Failure.reading { () throws(JSONRefusal) in try body.optionalFlag("captureNow") }
        let descriptor = try descriptor(&body)
        let memo = try PaymentMemo(from: &body)
        try end(body)
        var request = PaymentRequest(.createCharge(amount), on: try await permission(call))
        request.memo = memo
        request.capturesNow = capturesNow ?? false
        request.softDescriptor = descriptor
        return try await carryOut(request, call)
    }

    /// Answers `GET /v1/sessions/{id}/charges`.
    @Sendable static func listCharges(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        let page = try PageQuery(call)
        let order = try await order(call)
        let body = try page.content(order.charges) { JSONValue(charge: $0, refunds: order.refunds) }
        return ServiceAnswer(.ok, bytes: body, webviewSession: order.webviewSession)
    }

    /// Answers `GET /v1/charges/{chargeId}`.
    @Sendable static func readCharge(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        try await answer(call, try await object(call, .charge))
    }

    /// Answers `POST /v1/charges/{chargeId}/refresh`.
    @Sendable static func refreshCharge(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        try await answer(call, try await refreshed(call, .charge))
    }

    /// Answers `POST /v1/refunds/{refundId}/refresh`.
    @Sendable static func refreshRefund(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        let refund = try await refreshed(call, .refund)
        return ServiceAnswer(.ok, JSONValue(refund: refund), webviewSession: refund.webviewSession)
    }

    /// Answers `GET /v1/charges/{chargeId}/refunds`.
    @Sendable static func listRefunds(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        let page = try PageQuery(call)
        let charge = try await object(call, .charge)
        let body = try page.content(try await refunds(call, charge)) { JSONValue(refund: $0) }
        return ServiceAnswer(.ok, bytes: body, webviewSession: charge.webviewSession)
    }

    /// Which payments of an order are asked for.
    private struct PageQuery {
        /// The id of the payment behind which the page begins.
        let after: String?
        let limit: Int

        init(_ call: MerchantCall) throws(Failure) {
            let query = try call.query(ListForm.parameters)
            (after, limit) = (query["after"], try ListForm.limit(query))
        }

        /// The content of the answer, of all payments in the order in which they were written down.
        func content(_ payments: [LedgerObject], _ json: (LedgerObject) -> JSONValue) throws(Failure) -> [UInt8] {
            var rest = payments[...]
            if let after {
                guard let index = payments.firstIndex(where: { $0.id.octets == after.octets }) else {
                    throw ListForm.unknown()
                }
                rest = payments[(index + 1)...]
            }
            let page = rest.prefix(limit)
            return ListForm.content(
                page.map { json($0).bytes },
                next: page.last?.id ?? after,
                hasMore: page.count < rest.count
            )
        }
    }

    /// Answers `POST /v1/charges/{chargeId}/capture`.
    @Sendable static func capture(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        var body = try call.body()
        let amount = try body.money("amount")
        let descriptor = try descriptor(&body)
        let memo = try PaymentMemo(from: &body)
        try end(body)
        var request = PaymentRequest(.capture(amount), on: try await object(call, .charge))
        request.memo = memo.over(request.target.memo)
        request.softDescriptor = descriptor
        return try await carryOut(request, call)
    }

    /// Answers `POST /v1/charges/{chargeId}/cancel`.
    @Sendable static func cancelCharge(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        var body = try call.body()
        let memo = try PaymentMemo(from: &body)
        try end(body)
        var request = PaymentRequest(.cancelCharge, on: try await object(call, .charge))
        request.reason = memo.reason ?? usualReason
        request.memo = memo.over(request.target.memo)
        return try await carryOut(request, call)
    }

    /// Answers `POST /v1/charges/{chargeId}/refunds`.
    @Sendable static func refund(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        var body = try call.body()
        let amount = try body.money("amount")
        let descriptor = try descriptor(&body)
        let memo = try PaymentMemo(from: &body)
        try end(body)
        var request = PaymentRequest(.refund(amount), on: try await object(call, .charge))
        request.memo = memo
        request.softDescriptor = descriptor
        return try await carryOut(request, call)
    }

    /// Answers `GET /v1/refunds/{refundId}`.
    @Sendable static func readRefund(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        let refund = try await object(call, .refund)
        return ServiceAnswer(.ok, JSONValue(refund: refund), webviewSession: refund.webviewSession)
    }

    /// Answers `POST /v1/sessions/{id}/close`.
    @Sendable static func close(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        var body = try call.body()
        let text = try Failure.reading { () throws(JSONRefusal) in try body.optionalText("reason") }
        let reason = try Failure.cleaned(optional: text, "reason", 255)
        let cancels = try Failure.reading { () throws(JSONRefusal) in try body.optionalFlag("cancelPendingCharges") }
        try end(body)
        let intent = OperationIntent.closePermission(cancelsPending: cancels ?? false)
        var request = PaymentRequest(intent, on: try await permission(call))
        request.reason = reason ?? usualReason
        request.memo = PaymentMemo(reason: reason)
        return try await carryOut(request, call)
    }

    // MARK: Parts

    private static func carryOut(
        _ request: PaymentRequest,
        _ call: MerchantCall
    ) async throws(Failure) -> ServiceAnswer {
        let webviewSession = request.target.webviewSession
        try await demandOwn(webviewSession, call)
        let (answer, isReplayed) = try await call.part.payments.carryOut(request, try call.claim())
        guard let status = HTTPStatus(answer.status) else {
            throw Failure(.internalError, "a kept answer with status \(answer.status)")
        }
        var reply = ServiceAnswer(status, bytes: answer.body, webviewSession: webviewSession)
        reply.isReplayed = isReplayed
        return reply
    }

    /// Refuses what the provider would not find, and whose refusal would be kept.
    private static func demandOwn(_ webviewSession: UUIDBytes, _ call: MerchantCall) async throws(Failure) {
        let isOwn = try await Failure.mapErrors { try await call.part.orders.isOwn(webviewSession) }
        guard isOwn else {
            throw Failure(
                .wrongState,
                message: "The session is of another account or environment of the provider.",
                session: webviewSession
            )
        }
    }

    /// The object in the path, as the provider has it now.
    private static func refreshed(_ call: MerchantCall, _ kind: ObjectKind) async throws(Failure) -> LedgerObject {
        try end(try call.optionalBody())
        let known = try await object(call, kind)
        try await demandOwn(known.webviewSession, call)
        try call.part.checkout.provider.count(.refresh, of: known.webviewSession, by: call.caller)
        try await call.part.payments.refresh(known)
        return try await object(call, kind)
    }

    /// A charge with its refunds.
    private static func answer(_ call: MerchantCall, _ charge: LedgerObject) async throws(Failure) -> ServiceAnswer {
        let body = JSONValue(charge: charge, refunds: try await refunds(call, charge))
        return ServiceAnswer(.ok, body, webviewSession: charge.webviewSession)
    }

    /// The refunds of a charge in their order; of one that was not captured there are none.
    private static func refunds(_ call: MerchantCall, _ charge: LedgerObject) async throws(Failure) -> [LedgerObject] {
        guard charge.row.capturedUnits > 0 else { return [] }
        return try await Failure.mapErrors { try await call.part.orders.refunds(of: charge) }
    }

    private static func order(_ call: MerchantCall) async throws(Failure) -> MerchantOrder {
        let webviewSession = try call.id()
        let found = try await Failure.mapErrors { try await call.part.orders.read(webviewSession) }
        guard let found else { throw Failure(.notFound) }
        return found
    }

    /// The permission of a session, which it has once it is paid.
    private static func permission(_ call: MerchantCall) async throws(Failure) -> LedgerObject {
        let order = try await order(call)
        guard let id = order.permission, let found = try await object(id, call) else {
            throw Failure(
                .wrongState,
                message: "The session is \(order.state.rawValue), not paid.",
                session: order.webviewSession
            )
        }
        return found
    }

    /// The object in the path.
    private static func object(_ call: MerchantCall, _ kind: ObjectKind) async throws(Failure) -> LedgerObject {
        guard let found = try await object(call.parameter(0), call), found.row.kind == kind else {
            throw Failure(.notFound)
        }
        return found
    }

    private static func object(_ id: String, _ call: MerchantCall) async throws(Failure) -> LedgerObject? {
        try await Failure.mapErrors { try await call.part.orders.object(id) }
    }

    private static func descriptor(_ body: inout JSONReader) throws(Failure) -> String? {
        let text = try Failure.reading { () throws(JSONRefusal) in try body.optionalText("softDescriptor") }
        return try Failure.cleaned(optional: text, "softDescriptor", 16)
    }

    /// What the provider gets where a request has none.
    private static let usualReason = "Merchant's request"

    private static func end(_ body: JSONReader) throws(Failure) {
        try Failure.reading { () throws(JSONRefusal) in try body.end() }
    }
}
