import AppStoreTransactions
import EventIO
import HTTPCore
import Operations
import Postgres
import Primitives
import ServerCore
import StrictJSON
import Telemetry
package import Web

// What the App Store tells the server.

extension AppStorePart {
    /// Octets of a notification; those of the App Store have some 20,000.
    private static let longestNotification = 524_288

    /// The one route; what is sent shows by its signature who sends it.
    package static let routes = [
        RouteGroup<AppStorePart>(
            on: .web,
            .json,
            [
                Route(
                    .post,
                    "/app-store/notifications",
                    "a message of the App Store",
                    bodyLimit: longestNotification,
                    receive
                )
                .guarded { part, request throws(Failure) in try part.refuseForgers(request) }
            ]
        )
    ]

    /// Each forgery costs two looks at signatures; who sends many of them waits.
    private func refuseForgers(_ request: HTTPRequest) throws(Failure) {
        if let wait = process.forgeries.wait(request.peer.keys, at: loop.reactor.now) {
            throw Failure(.rateLimited, retryAfter: wait)
        }
    }

    private func receive(_ request: HTTPRequest) async throws -> HTTPResponse {
        let now = SystemClock().now()
        let (text, peer) = (Array(try AppStorePart.signedPayload(request.body).utf8), request.peer.keys)
        let notification: ServerNotification
        do throws(SignedTextRefusal) {
            notification = try await verifiedNotification(text, at: now)
        } catch {
            metrics.count(error)
            return try answer(error, peer)
        }
        metrics.countVerified()
        // What has begun is finished although the sender goes away.
        _ = try await loop.shield.runToCompletion { () async throws(Failure) in
            try await self.keep(notification, text, sentAs: request.body, at: now)
        }
        return HTTPResponse(.ok, block: loop.headers.plain)
    }

    /// The notification of a text whose certificates are not revoked.
    func verifiedNotification(
        _ text: [UInt8],
        at now: WallTime
    ) async throws(SignedTextRefusal) -> ServerNotification {
        let notification = try process.verifiers.notification(text, at: now)
        try await demandStanding(text, of: notification.environment, at: now)
        return notification
    }

    /// What Apple has signed is never sent again for our sake, although it is not for this app.
    private func answer(_ refusal: SignedTextRefusal, _ peer: ClientKeys) throws(Failure) -> HTTPResponse {
        switch refusal {
        case .wrongApp, .wrongEnvironment, .wrongKind:
            loop.logger.warning("app_store.notification_unwanted", [LogField("reason", "\(refusal)")])
            return HTTPResponse(.ok, block: loop.headers.plain)
        case .malformed, .certificate, .signature:
            process.forgeries.count(peer, at: loop.reactor.now)
            throw Failure(.notificationRefused, "\(refusal)")
        case .revocationUnknown: throw Failure(.unavailable, "\(refusal)")
        case .misconfigured: throw Failure(.internalError, "app_store: \(refusal)")
        }
    }

    private static func signedPayload(_ body: [UInt8]) throws(Failure) -> String {
        do {
            var reader = try JSONReader(try JSONParser.parse(body))
            return try reader.text("signedPayload")
        } catch {
            throw Failure(.notificationRefused, "\(error)")
        }
    }

    /// Keeps a notification, with what follows from the purchase in it; whether it is new.
    ///
    /// - Parameter body: The content of the request; `nil` for one that Apple's server was asked for.
    @discardableResult
    func keep(
        _ notification: ServerNotification,
        _ text: [UInt8],
        sentAs body: [UInt8]? = nil,
        at now: WallTime
    ) async throws(Failure) -> Bool {
        var (purchase, isRefused): (Transaction?, Bool) = (nil, false)
        if let inner = notification.signedTransaction {
            do throws(SignedTextRefusal) {
                let bytes = Array(inner.utf8)
                purchase = try process.verifiers.transaction(bytes, of: notification.environment, at: now)
                try await demandStanding(bytes, of: notification.environment, at: now)
            } catch {
                // That the outer text is good says nothing about the inner one.
                metrics.count(error)
                // Apple sends it again.
                if error.isRetryable { throw Failure(.unavailable, "\(error)") }
                purchase = nil
                isRefused = true
                loop.logger.error(
                    "app_store.notification_purchase_refused",
                    [LogField("notification", notification.id), LogField("reason", "\(error)")]
                )
            }
        }
        let (columns, text) = (notification.columns.description, String(decoding: text, as: UTF8.self))
        let (said, worth) = (purchase?.columns.description, purchase.flatMap { process.products.worth(of: $0) })
        let isForwarded = process.settings.forwards.isOn
        let sent = body.map { String(decoding: $0, as: UTF8.self) } ?? #"{"signedPayload":"\#(text)"}"#
        let kept = try await Failure.mapErrors { () async throws in
            guard isForwarded else {
                let statement = PurchaseStatement.notify(columns, text, isRefused, said, worth)
                return try await loop.database.write(statement).first()
            }
            let statement = ForwardStatement.notify(columns, text, isRefused, said, worth, sent)
            return try await loop.database.write(statement).first()
        }
        metrics.count(notification, kept.purchase, at: now)
        if let purchase, let outcome = kept.purchase { report(outcome, purchase) }
        return kept.isNew
    }

    /// Deletes some notifications that are older than they are kept; whether there may be more.
    func prune() async -> Bool {
        let (keep, batch) = (process.settings.keepNotifications, AppStorePart.batch)
        do {
            return try await loop.database.work(PurchaseStatement.prune(keep, batch)).first() >= Int(batch)
        } catch {
            loop.logger.warning("upkeep.prune_failed", [LogField("detail", error.debugDescription)])
            return false
        }
    }

    static let batch: Int32 = 500
}

extension FailureCode {
    /// What the App Store has not sent.
    static let notificationRefused = FailureCode(
        "notification_refused",
        .badRequest,
        "The content is no notification that Apple has signed."
    )
}

extension ServerNotification {
    /// Why the customer wants a refund, in Apple's word.
    private var refundReason: String? {
        if case .purchase(let purchase) = subject { purchase.consumptionRequestReason } else { nil }
    }

    /// What is kept of it beside its text, by the names that `app_store_notify` reads.
    fileprivate var columns: JSONValue {
        .object([
            JSONMember("id", .string(id)), JSONMember("environment", .string(environment.rawValue)),
            JSONMember("type", .string(type.word)), JSONMember("subtype", JSONValue(subtype)),
            JSONMember("signed", JSONValue(Int(signed.microseconds))), JSONMember("reason", JSONValue(refundReason)),
        ])
    }
}
