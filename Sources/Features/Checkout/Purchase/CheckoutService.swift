package import AmazonPay
import CheckoutCodes
import Commerce
import Cryptography
import EventIO
import MerchantAPI
package import Primitives
package import SessionBroker
import Telemetry
package import Web

/// What the provider says of a checkout that will not lead to a payment.
struct CheckoutRefusal: Sendable, Equatable {
    /// The provider's word, for the audit trail.
    let reason: String
    /// Whether the buyer left by choice, and not the bank by refusal.
    let isBuyersWish: Bool
}

/// What a buyer has chosen at the provider.
struct ChosenSession: Sendable {
    /// The checkout session.
    let id: CheckoutSessionID
    /// The webview session that it was started for, as its mark says.
    let markedSession: WebviewSessionID?
    /// Who buys.
    let buyer: Buyer
    /// Where it goes; empty where nothing is sent.
    let address: Address
    /// How it is paid, in words for the buyer.
    let payment: String?

    /// The same as the broker keeps it.
    ///
    /// - Returns: With everything that the confirm page shows.
    func reviewed(_ answer: DeliveryAnswer) -> ReviewedSession {
        var postage: Yen?
        var undeliverable: Undeliverable?
        switch answer {
        case .postage(let sum): postage = sum
        case .undeliverable(let reason): undeliverable = reason
        }
        return ReviewedSession(
            orderReference: id.text,
            markedSession: markedSession,
            postage: postage,
            details: PrivateDetails(buyer: buyer, address: address, payment: payment, undeliverable: undeliverable)
        )
    }
}

/// What the provider made of the sum that was sent.
enum UpdatedCheckout: Sendable {
    /// The buyer is to be sent there; checked against the hosts of the settings.
    case ready(String)
    /// The buyer has chosen another address since the sum was made, in another window: the sum does not hold.
    case readdressed(ChosenSession)
    /// The provider takes no change any more, and has what the buyer agreed to, or has ended the session: the result page
    /// says which.
    case finished
    /// The provider takes no change any more, and has another sum: the session cannot pay for this order.
    case finishedOtherwise
    /// The provider takes no change any more, and what it has could not be read.
    case unclear(Failure)
}

/// What the provider's charge says of a payment that was pending.
enum SessionChargeStatus: Sendable, Equatable {
    /// The money is held, or taken.
    case held
    /// It will not be; the provider's word, for the audit trail.
    case refused(String)
    /// The bank has not spoken, or nobody could be asked; for operators, and whether the question had no turn.
    case undecided(String, isHeldBack: Bool = false)
}

/// The provider in the words of the shop: start, review, update, complete; one per loop.
package final class CheckoutService {
    /// The provider's API, for others of the loop.
    package let client: CheckoutClient
    let provider: ProviderSetup
    private let signing: SigningQueue?
    /// How often each session may have the provider asked.
    let sessionCalls: SessionCalls
    private let shared: SharedCalls<SharedKey, Result<CheckoutSession, AmazonPayError>>
    private let logger: Logger

    /// A service for one loop.
    ///
    /// - Parameters:
    ///   - signing: Signs on another thread, for all loops; `nil` signs here.
    init(
        client: CheckoutClient,
        provider: ProviderSetup,
        signing: SigningQueue?,
        sessionCalls: SessionCalls,
        startTask: @escaping (@escaping () async -> Void) -> Void,
        logger: Logger
    ) {
        self.sessionCalls = sessionCalls
        shared = SharedCalls(startTask: startTask)
        self.client = client
        self.provider = provider
        self.signing = signing
        self.logger = logger
    }

    /// The button's configuration, signed for one webview session.
    ///
    /// - Parameters:
    ///   - webviewSession: Goes into the payload, so that the session that comes of it is this webview session's alone.
    ///   - terms: What the order agreed on, the same each time.
    ///   - client: Of whose signatures only so many may wait.
    /// - Returns: What the page hands to the provider's script.
    /// - Throws: `unavailable` where too many signatures wait; `internal_error` where the key cannot sign.
    func start(
        for webviewSession: WebviewSessionID,
        _ terms: OrderTerms,
        of client: ClientKeys
    ) async throws(Failure) -> CheckoutStart {
        if let button = signing?.button(of: webviewSession) { return start(button, terms) }
        var payload = CheckoutPayload(
            reviewURL: provider.reviewURL,
            cancelURL: provider.cancelURL,
            storeID: provider.credentials.storeID
        )
        payload.scopes = [.name, .email, .phoneNumber]
        if terms.hasDelivery {
            payload.scopes.append(.shippingAddress)
            payload.countries = ["JP"]
            payload.restrictions = terms.restrictions
        }
        payload.metadata = MerchantMetadata(
            merchantReferenceId: webviewSession.description,
            merchantStoreName: provider.storeName
        )
        let button = try await sign(payload, for: webviewSession, of: client)
        signing?.keep(button, of: webviewSession)
        return start(button, terms)
    }

    private func start(_ button: ButtonSignature, _ terms: OrderTerms) -> CheckoutStart {
        CheckoutStart(
            merchantID: provider.credentials.merchantID,
            publicKeyID: button.publicKeyID,
            isSandbox: provider.isSandboxNamed,
            hasDelivery: terms.hasDelivery,
            payload: button.payloadJSON,
            signature: button.signature,
            algorithm: button.algorithm.label
        )
    }

    /// Signs what a page or an app starts.
    ///
    /// - Parameters:
    ///   - client: Of whose signatures only so many may wait; `nil` for a merchant's server.
    /// - Throws: `unavailable` where too many signatures wait; `internal_error` where the key cannot sign.
    func sign(
        _ payload: CheckoutPayload,
        for webviewSession: WebviewSessionID,
        of client: ClientKeys?
    ) async throws(Failure) -> ButtonSignature {
        guard signing?.admitsButton(of: client) != false else {
            throw Failure(.unavailable, "too many signatures wait", session: webviewSession, retryAfter: 1)
        }
        defer { signing?.end(client) }
        do throws(CryptographyError) {
            let signing = signing
            return try await ButtonSigner(provider.credentials).sign(payload) { work in
                await signing?.signButton(work) ?? work()
            }
        } catch {
            throw Failure(.internalError, error.debugDescription, session: webviewSession)
        }
    }

    /// Reads the session a buyer has come back with.
    ///
    /// - Parameters:
    ///   - checkoutSession: From the address, checked for its form only.
    ///   - caller: Whose share of the calls it is.
    /// - Returns: What the buyer has chosen; whose session it is has not been looked at. `nil` where the session has ended.
    /// - Throws: `order_mismatch` for a session that the account does not have, `not_priced` without an address,
    ///   `rate_limited` after too many calls, `provider_failed` otherwise.
    func review(
        _ checkoutSession: CheckoutSessionID,
        _ webviewSession: WebviewSessionID,
        _ terms: OrderTerms,
        by caller: Caller
    ) async throws(Failure) -> ChosenSession? {
        let found = try await read(checkoutSession, webviewSession, by: caller)
        switch found.state {
        case .completed, .canceled: return nil
        case .open, .unknown: return try chosen(found, webviewSession, terms)
        }
    }

    private func chosen(
        _ checkoutSession: CheckoutSession,
        _ webviewSession: WebviewSessionID,
        _ terms: OrderTerms
    ) throws(Failure) -> ChosenSession {
        let address = terms.hasDelivery ? checkoutSession.shippingAddress : Address()
        guard let address, checkoutSession.state == .open else {
            throw Failure(
                .notPriced,
                "the session is \(checkoutSession.state) or has no address",
                session: webviewSession
            )
        }
        return ChosenSession(
            id: checkoutSession.id,
            markedSession: checkoutSession.markedSession,
            buyer: checkoutSession.buyer ?? Buyer(),
            address: address,
            payment: checkoutSession.paymentDescriptor
        )
    }

    /// Sends the amount to the provider.
    ///
    /// - Parameters:
    ///   - caller: Who is served in turn with others.
    /// - Returns: Where to send the buyer, if the sum is still for the address that is chosen.
    /// - Throws: `provider_failed`; `order_mismatch` for a session that the account does not have any more; `not_priced`
    ///   where no address is chosen any more; `rate_limited` where too many calls of the caller wait.
    func update(
        _ placement: Placement,
        _ terms: OrderTerms,
        by caller: Caller
    ) async throws(Failure) -> UpdatedCheckout {
        guard let checkoutSession = CheckoutSessionID(placement.orderReference) else {
            throw Failure(.internalError, "the stored session id has another form", session: placement.webviewSession)
        }
        let payment = PaymentDetails(terms.captureMode.intent, amount: Money(placement.total))
        let metadata = metadata(placement.webviewSession, terms)
        let update = CheckoutUpdate(resultURL: provider.resultURL, payment: payment, metadata: metadata)
        let asker = caller.asker(of: placement.webviewSession)
        let updated: CheckoutSession
        do throws(AmazonPayError) {
            updated = try await client.update(checkoutSession, update, for: asker)
        } catch {
            let failure = refused("checkout.update_failed", error, placement.webviewSession)
            if error.reason == .resourceNotFound {
                throw Failure(.orderMismatch, failure.detail, session: placement.webviewSession)
            }
            guard error.isAboutState else { throw failure }
            return try await found(checkoutSession, placement, after: error, failure, asker)
        }
        let chosen = try chosen(updated, placement.webviewSession, terms)
        // The whole address, not what postage goes by: it is also the one that the order is sent to.
        guard chosen.address == placement.view.details?.address else { return .readdressed(chosen) }
        guard let target = updated.redirectURL, provider.redirects.allows(target) else {
            let reason = updated.redirectURL == nil ? updated.constraints.joined(separator: " ") : "a foreign address"
            throw Failure(.providerFailed, "no redirect address: \(reason)", session: placement.webviewSession)
        }
        return .ready(target)
    }

    /// What the provider has of a session whose state allows no update.
    ///
    /// A refusal may mean that the buyer has been through the provider's last page, that the session has ended, or that it is
    /// not ready: only the session says which.
    ///
    /// - Throws: The failure of the update, where the provider has nothing of the agreement.
    private func found(
        _ checkoutSession: CheckoutSessionID,
        _ placement: Placement,
        after refusal: AmazonPayError,
        _ failure: Failure,
        _ asker: CallAsker
    ) async throws(Failure) -> UpdatedCheckout {
        let session: CheckoutSession
        do throws(AmazonPayError) {
            // The update was counted, and this belongs to it.
            session = try await client.session(checkoutSession, priority: .purchase, for: asker, within: .seconds(5))
        } catch {
            return .unclear(refused("checkout.read_failed", error, placement.webviewSession))
        }
        switch session.state {
        case .completed, .canceled: return .finished
        // Another reason than the state says nothing of how far the buyer has come.
        case .open where refusal.reason != nil && refusal.reason != .invalidCheckoutSessionStatus: throw failure
        case .open where session.isFor(placement.total): return .finished
        case .open where session.chargeAmount?.isReadable == true: return .finishedOtherwise
        case .open where session.chargeAmount == nil: throw failure
        case .open, .unknown: return .unclear(failure)
        }
    }

    /// What is written on an order at the provider: its names; for the buyer the merchant's note, or else its number.
    func metadata(_ webviewSession: WebviewSessionID, _ terms: OrderTerms) -> MerchantMetadata {
        var metadata = MerchantMetadata(naming: webviewSession, reference: terms.reference)
        metadata.merchantStoreName = provider.storeName
        metadata.noteToBuyer = terms.note ?? OrderNumber(webviewSession).description
        return metadata
    }

    /// Makes the charge real; see `CompleteOutcome`.
    ///
    /// - Parameters:
    ///   - attempt: The lease; webview session and number make the idempotency key.
    ///   - isRecovery: Whether an earlier call of the attempt may have got through: then it goes before others.
    ///   - caller: Who is served in turn with others.
    /// - Returns: The outcome, within the lease.
    func complete(_ attempt: PurchaseAttempt, isRecovery: Bool, by caller: Caller) async -> CompleteOutcome {
        guard let checkoutSession = CheckoutSessionID(attempt.orderReference) else { return CheckoutService.malformed }
        let key = IdempotencyKey.derive(
            webviewSession: attempt.webviewSession,
            attempt: attempt.number,
            step: "complete"
        )
        var completion = CheckoutClient.Completion(
            session: checkoutSession,
            amount: attempt.total,
            key: key,
            isRecovery: isRecovery
        )
        if !isRecovery { completion.asker = caller.asker(of: attempt.webviewSession) }
        return await client.complete(completion, within: provider.completeLimit)
    }

    /// What the charge of a completed session says.
    ///
    /// - Returns: `undecided` also where the charge cannot be read.
    func status(of checkoutSession: CheckoutSession) async -> SessionChargeStatus {
        guard let id = checkoutSession.chargeID.flatMap({ ChargeID($0) }) else {
            return .undecided("a completed session without a charge")
        }
        do throws(AmazonPayError) {
            let charge = try await client.charge(id, priority: .purchase, within: .seconds(4))
            switch charge.state {
            case .authorized, .captureInitiated, .captured: return .held
            case .declined, .canceled: return .refused(charge.reason?.rawValue ?? "Canceled")
            case .authorizationInitiated: return .undecided("the bank has not spoken yet")
            case .unknown: return .undecided("the charge is in an unknown state")
            }
        } catch {
            let detail = "the charge could not be read: \(error.debugDescription)"
            return .undecided(detail, isHeldBack: error.isHeldBack)
        }
    }

    /// Whether the provider has given a session up, and why.
    ///
    /// - Parameters:
    ///   - caller: Whose share of the calls it is.
    /// - Returns: `nil` while it can still lead to a payment, and where the provider cannot be asked, or has been asked too
    ///   often for this webview session or by this address: then the purchase finds out.
    func refusal(
        of checkoutSession: String,
        _ webviewSession: WebviewSessionID,
        by caller: Caller
    ) async -> CheckoutRefusal? {
        guard let id = CheckoutSessionID(checkoutSession) else { return nil }
        switch await readShared(id, webviewSession, for: .result, by: caller, within: .seconds(5)) {
        case .found(let found):
            guard found.state == .canceled else { return nil }
            let reason = found.reason?.rawValue ?? "Canceled"
            return CheckoutRefusal(reason: reason, isBuyersWish: found.reason == .buyerCanceled)
        case .failed(let error):
            logger.warning("checkout.read_failed", fields(error, webviewSession))
            return nil
        case .limited:
            return nil
        }
    }

    func read(
        _ checkoutSession: CheckoutSessionID,
        _ webviewSession: WebviewSessionID,
        by caller: Caller
    ) async throws(Failure) -> CheckoutSession {
        switch await readShared(checkoutSession, webviewSession, for: .review, by: caller, within: .seconds(15)) {
        case .found(let found): return found
        case .failed(let error) where error.reason == .resourceNotFound:
            throw Failure(.orderMismatch, "the account has no such session", session: webviewSession)
        case .failed(let error): throw refused("checkout.read_failed", error, webviewSession)
        case .limited(let seconds): throw CheckoutService.limited(webviewSession, seconds)
        }
    }

    /// Counts a call of a webview session that is about to be made.
    ///
    /// - Throws: `rate_limited` where the webview session, or the address with all of its own, has had too many of them.
    package func count(
        _ purpose: SessionCalls.Purpose,
        of webviewSession: WebviewSessionID,
        by caller: Caller
    ) throws(Failure) {
        if let seconds = wait(for: purpose, of: webviewSession, by: caller) {
            throw CheckoutService.limited(webviewSession, seconds)
        }
    }

    private func wait(
        for purpose: SessionCalls.Purpose,
        of webviewSession: WebviewSessionID,
        by caller: Caller
    ) -> Int? {
        let isScarce = purpose.operation.map { client.isScarce($0) } ?? false
        return sessionCalls.count(purpose, of: webviewSession, by: caller, isScarce: isScarce)
    }

    /// Takes note of a session that belongs to another webview session.
    func noteForeign(_ checkoutSession: CheckoutSessionID, to webviewSession: WebviewSessionID) {
        sessionCalls.remember(foreign: checkoutSession, to: webviewSession)
    }

    private static func limited(_ webviewSession: WebviewSessionID, _ seconds: Int) -> Failure {
        Failure(
            .rateLimited,
            "the provider was asked too often for this session or by this address",
            session: webviewSession,
            retryAfter: seconds
        )
    }

    /// What came of reading a session together with others who read it.
    private enum SharedRead {
        case found(CheckoutSession)
        case failed(AmazonPayError)
        /// Not asked; seconds to wait.
        case limited(Int)
    }

    private struct SharedKey: Hashable {
        let checkoutSession: CheckoutSessionID
        let webviewSession: WebviewSessionID
        let purpose: SessionCalls.Purpose
    }

    /// Reads a session, as often as its webview session and the caller may: together with those who read it now, and not where
    /// it was refused a moment ago.
    private func readShared(
        _ checkoutSession: CheckoutSessionID,
        _ webviewSession: WebviewSessionID,
        for purpose: SessionCalls.Purpose,
        by caller: Caller,
        within limit: Duration
    ) async -> SharedRead {
        guard !sessionCalls.isRefused(checkoutSession, to: webviewSession, caller) else {
            return .failed(AmazonPayError(.refused, status: 404, reason: .resourceNotFound, detail: "not asked again"))
        }
        let key = SharedKey(checkoutSession: checkoutSession, webviewSession: webviewSession, purpose: purpose)
        if !shared.isUnderWay(key), let seconds = wait(for: purpose, of: webviewSession, by: caller) {
            return .limited(seconds)
        }
        let (client, asker) = (client, caller.asker(of: webviewSession))
        let result = await shared.value(of: key) {
            do throws(AmazonPayError) {
                return .success(try await client.session(checkoutSession, for: asker, within: limit))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let found): return .found(found)
        case .failure(let error) where error.isCrowded: return .limited(CheckoutService.crowdedPause)
        case .failure(let error):
            if error.reason == .resourceNotFound {
                sessionCalls.remember(unknown: checkoutSession, to: webviewSession, caller)
            }
            return .failed(error)
        }
    }

    /// Seconds to wait for somebody of whose calls too many wait: some will have been made by then.
    private static let crowdedPause = 2

    private func refused(_ event: StaticString, _ error: AmazonPayError, _ webviewSession: WebviewSessionID) -> Failure
    {
        guard !error.isCrowded else { return CheckoutService.limited(webviewSession, CheckoutService.crowdedPause) }
        logger.warning(event, fields(error, webviewSession))
        return Failure(.providerFailed, error.debugDescription, session: webviewSession)
    }

    private func fields(_ error: AmazonPayError, _ webviewSession: WebviewSessionID) -> [LogField] {
        [LogField("webview_session", webviewSession.description), LogField("detail", error.debugDescription)]
    }
}
