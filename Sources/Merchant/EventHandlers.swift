import HTTPCore
import MerchantAPI
import Primitives
import StrictJSON
import Web
import Webhooks

/// The routes below `/v1` that are about events.
enum EventHandlers {
    /// Answers `GET /v1/events`.
    @Sendable static func list(_ call: MerchantCall) async throws(Failure) -> MerchantAnswer {
        let query = try call.query(RouteDescription.eventParameters)
        var cursor: EventCursor?
        if let text = query["after"] {
            guard let given = EventCursor(text) else { throw Failure(.invalidCursor, field: "after") }
            cursor = given
        }
        let limit = try SessionHandlers.limit(query["limit"])
        let page = try await Failure.mapErrors { [cursor] () async throws(StoreError) in
            try await call.merchant.events.page(after: cursor, limit: limit)
        }
        guard let page else {
            throw Failure(
                .invalidCursor,
                message:
                    "The event of the cursor is no longer listed: begin without `after`, and skip the events that you already have.",
                field: "after"
            )
        }
        let next = page.events.isEmpty ? cursor?.text : page.next.text
        // Octet for octet what a webhook brings.
        var body = Array(#"{"data":["#.utf8)
        for (index, event) in page.events.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += event.body
        }
        body += #"],"nextCursor":\#(JSONValue(next)),"hasMore":\#(page.hasMore)}"#.utf8
        return MerchantAnswer(.ok, bytes: body, webviewSession: nil)
    }
}

extension MerchantRouteTable {
    /// About events.
    static let events = [MerchantRoute(.listEvents, EventHandlers.list)]
}
