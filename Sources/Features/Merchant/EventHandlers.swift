import HTTPCore
import MerchantAPI
import Primitives
import ServiceAPI
import StrictJSON
import Web
import Webhooks

/// The routes below `/v1` that are about events.
enum EventHandlers {
    /// Answers `GET /v1/events`.
    @Sendable static func list(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        let query = try call.query(ListForm.parameters)
        let (after, limit) = (try ListForm.after(query) { EventCursor($0) }, try ListForm.limit(query))
        let page = try await Failure.mapErrors { try await call.part.events.page(after: after, limit: limit) }
        guard let page else {
            throw ListForm.unknown(
                "The event of the cursor is no longer listed: begin without `after`, and skip the events that you already have."
            )
        }
        let next = page.events.isEmpty ? after?.text : page.next.text
        // Octet for octet what a webhook brings.
        let body = ListForm.content(page.events.map(\.body), next: next, hasMore: page.hasMore)
        return ServiceAnswer(.ok, bytes: body, webviewSession: nil)
    }
}
