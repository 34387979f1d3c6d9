import AmazonPay
import Checkout
import CheckoutCodes
import MerchantAPI
import Primitives
import ServiceAPI
import SessionBroker
import Web

extension SessionHandlers {
    /// Answers `POST /v1/sessions/{id}/finalize`.
    ///
    /// The checkout session comes from a link, which anybody can send: it counts only together with the proof, and only where
    /// the provider says that it came of this session's payload. After that it is a purchase as any other, and as there nothing
    /// is claimed: the webview session remembers what became of it.
    @Sendable static func finalize(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        let webviewSession = try call.id()
        let request = try FinalizeRequest(try call.body())
        let mobileReturn = try mobileReturn(request, webviewSession)
        let outcome = try await Failure.mapErrors {
            try await call.part.checkout.broker.checkMobileReturn(mobileReturn, by: call.caller)
        }
        let facts: MobileFacts?
        switch outcome {
        case .refused(let refusal): throw refusal.failure(webviewSession)
        case .present(let order):
            facts = try checkedFacts(call, mobileReturn, request, order)
        case .arrived(let order):
            facts = try checkedFacts(call, mobileReturn, request, order)
            try await arrive(call, mobileReturn, order)
        case .unproven(_, let order):
            // Throws, since no proof changes; should it not, the purchase is only looked at.
            try await arrive(call, mobileReturn, order)
            facts = nil
        }
        do throws(Failure) {
            return try await purchase(
                call,
                webviewSession,
                call.part.checkout.broker.purchaseRequest(of: mobileReturn),
                facts
            )
        } catch {
            // It was there a moment ago: another checkout session has come in its place.
            guard error.forMerchantAPI.code == .notFound else { throw error }
            throw Failure(.orderMismatch, field: "checkoutSessionId", session: webviewSession)
        }
    }

    private static func mobileReturn(
        _ request: FinalizeRequest,
        _ webviewSession: WebviewSessionID
    ) throws(Failure) -> MobileReturn {
        guard CheckoutSessionID(request.checkoutSession) != nil else {
            throw Failure(.orderMismatch, field: "checkoutSessionId", session: webviewSession)
        }
        guard let proof = AppProof.parse(request.proof) else {
            throw Failure(.proofMismatch, field: "appProof", session: webviewSession)
        }
        var verifier: CodeVerifier?
        if let text = request.verifier {
            verifier = CodeVerifier.parse(text)
            guard verifier != nil else {
                throw Failure(
                    .invalidRequest,
                    message: "Not a verifier of RFC 7636.",
                    field: "codeVerifier",
                    session: webviewSession
                )
            }
        }
        return MobileReturn(
            webviewSession: webviewSession,
            checkoutSession: request.checkoutSession,
            proof: proof,
            verifier: verifier
        )
    }

    /// What is sent: the order's, and the address that the payload was signed with, in the very same words.
    private static func checkedFacts(
        _ call: MerchantCall,
        _ mobileReturn: MobileReturn,
        _ request: FinalizeRequest,
        _ order: AwaitedOrder
    ) throws(Failure) -> MobileFacts {
        guard let terms = order.terms.flatMap({ OrderTerms(stored: $0) }) else {
            throw Failure(
                .internalError,
                "the terms of the webview session cannot be read",
                session: mobileReturn.webviewSession
            )
        }
        let mark = request.shippingAddress.map {
            call.part.checkout.broker.mark(of: $0, in: mobileReturn.webviewSession, under: mobileReturn.proof)
        }
        guard mark == terms.addressMark else {
            let rule = "The address differs from that of the opened session."
            throw Failure(.orderMismatch, message: rule, field: "shippingAddress", session: mobileReturn.webviewSession)
        }
        return MobileFacts(terms: terms, address: request.shippingAddress)
    }

    /// Reads the session at the provider, and pins it where it is this webview session's.
    private static func arrive(
        _ call: MerchantCall,
        _ mobileReturn: MobileReturn,
        _ order: AwaitedOrder
    ) async throws(Failure) {
        guard let checkoutSession = CheckoutSessionID(mobileReturn.checkoutSession) else {
            throw Failure(.orderMismatch, field: "checkoutSessionId", session: mobileReturn.webviewSession)
        }
        let found = try await call.part.checkout.provider.arrived(
            checkoutSession,
            mobileReturn.webviewSession,
            total: order.total,
            by: call.caller
        )
        let outcome = try await Failure.mapErrors {
            try await call.part.checkout.broker.arrive(
                mobileReturn,
                markedSession: found.markedSession,
                details: found.details,
                by: call.caller
            )
        }
        if let refusal = outcome.refusal { throw refusal.failure(mobileReturn.webviewSession) }
    }
}
