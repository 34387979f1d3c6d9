import AmazonPay
import Commerce
import MerchantAPI
import MerchantOrders
import Pages
import Primitives
import SessionBroker
import StrictJSON
import Web

extension SessionHandlers {
    /// Answers `POST /v1/sessions/{id}/finalize`.
    ///
    /// The checkout session comes from a link, which anybody can send: it counts only together with the proof, and only where the
    /// provider says that it came of this session's payload. After that it is a purchase as any other, and as there nothing is claimed:
    /// the flow remembers what became of it.
    @Sendable static func finalize(_ call: MerchantCall) async throws(Problem) -> MerchantAnswer {
        let flow = try call.flow()
        let request = try FinalizeRequest(try call.body())
        let arrival = try arrival(request, flow)
        let verdict = try await asking(call) { (broker) async throws(StoreError) in
            try await broker.look(at: arrival, by: call.caller)
        }
        let facts: MobileFacts?
        switch verdict {
        case .refused(let refusal): throw Problem(refusal.failure(flow))
        case .present(let order):
            facts = try checkedFacts(call, arrival, request, order)
        case .awaited(let order):
            facts = try checkedFacts(call, arrival, request, order)
            try await arrive(call, arrival, order)
        case .doubtful(let order):
            // Throws, since no proof changes; should it not, the purchase is only looked at.
            try await arrive(call, arrival, order)
            facts = nil
        }
        do throws(Problem) {
            return try await purchase(call, flow, call.services.broker.purchaseRequest(of: arrival), facts)
        } catch {
            // It was there a moment ago: another checkout session has come in its place.
            guard error.code == .notFound else { throw error }
            throw Problem(.orderMismatch, field: "checkoutSessionId", flow: flow)
        }
    }

    private static func arrival(_ request: FinalizeRequest, _ flow: FlowID) throws(Problem) -> MobileArrival {
        guard CheckoutSessionID(request.checkoutSession) != nil else {
            throw Problem(.orderMismatch, field: "checkoutSessionId", flow: flow)
        }
        guard let proof = AppProof.parse(request.proof) else {
            throw Problem(.proofMismatch, field: "appProof", flow: flow)
        }
        var verifier: CodeVerifier?
        if let text = request.verifier {
            verifier = CodeVerifier.parse(text)
            guard verifier != nil else {
                throw Problem(.invalidRequest, "Not a verifier of RFC 7636.", field: "codeVerifier", flow: flow)
            }
        }
        return MobileArrival(flow: flow, checkoutSession: request.checkoutSession, proof: proof, verifier: verifier)
    }

    /// What is sent: the order's, and the address that the payload was signed with, in the very same words.
    private static func checkedFacts(
        _ call: MerchantCall,
        _ arrival: MobileArrival,
        _ request: FinalizeRequest,
        _ order: AwaitedOrder
    ) throws(Problem) -> MobileFacts {
        guard let terms = order.terms.flatMap({ OrderTerms(stored: $0) }) else {
            throw Problem(.internalError, flow: arrival.flow, detail: "the terms of the flow cannot be read")
        }
        let mark = request.shippingAddress.map {
            call.services.broker.mark(of: $0, in: arrival.flow, under: arrival.proof)
        }
        guard mark == terms.addressMark else {
            let rule = "Not the address that the session was opened with."
            throw Problem(.orderMismatch, rule, field: "shippingAddress", flow: arrival.flow)
        }
        return MobileFacts(terms: terms, address: request.shippingAddress)
    }

    /// Reads the session at the provider, and pins it where it is this flow's.
    private static func arrive(
        _ call: MerchantCall,
        _ arrival: MobileArrival,
        _ order: AwaitedOrder
    ) async throws(Problem) {
        guard let session = CheckoutSessionID(arrival.checkoutSession) else {
            throw Problem(.orderMismatch, field: "checkoutSessionId", flow: arrival.flow)
        }
        let found: ArrivedSession
        do throws(Failure) {
            found = try await call.services.checkout.arrived(session, arrival.flow, total: order.total)
        } catch {
            throw Problem(error)
        }
        let refusal = try await asking(call) { (broker) async throws(StoreError) in
            try await broker.arrive(
                arrival,
                merchantReference: found.merchantReference,
                details: found.details,
                by: call.caller
            )
        }
        if let refusal { throw Problem(refusal.failure(arrival.flow)) }
    }

    private static func asking<Value>(
        _ call: MerchantCall,
        _ body: (Broker) async throws(StoreError) -> Value
    ) async throws(Problem) -> Value {
        do throws(StoreError) {
            return try await body(call.services.broker)
        } catch {
            throw Problem(error)
        }
    }
}
