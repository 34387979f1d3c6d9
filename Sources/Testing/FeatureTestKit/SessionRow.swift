package import Commerce
package import Postgres
package import Primitives

/// A webview session as the statements on it return it.
///
/// The columns of a statement are those of `opening`, `face` or `whole`, and behind them what the statement adds.
package struct SessionRow {
    /// What the statement decided.
    package var outcome: String
    /// Afterwards.
    package var state: String
    /// Who buys.
    package var client = "iosApp"
    /// Whether both halves have met.
    package var isMet = false
    /// The checkout session.
    package var orderReference: String?
    /// What is bought.
    package var order: Order
    /// What sending costs.
    package var postage: Int64?
    /// What the order agreed on, as JSON; `nil` for the shop's own terms.
    package var terms: String?
    /// The hash of the launch ticket.
    package var launchHash: Digest32
    /// The mark of what the confirm page shows.
    package var shown: Digest32?
    /// How often it was placed.
    package var placements: Int64 = 0
    /// How often a purchase was begun.
    package var attempt: Int64 = 0
    /// Of the purchase that is under way.
    package var attemptID: UUIDBytes?
    /// The stored answer.
    package var result: [UInt8]?
    /// The hash of the tab token.
    package var tabHash: Digest32?

    /// A row.
    package init(_ outcome: String, _ state: String, order: Order, launchHash: Digest32) {
        self.outcome = outcome
        self.state = state
        self.order = order
        self.launchHash = launchHash
    }

    /// The columns of an open.
    package var opening: Parameters {
        Parameters { row in
            row.append(text: outcome)
            row.append(text: state)
            row.append(text: client)
            row.append(timestamp: isMet ? WallTime(seconds: 1_700_000_000) : nil)
            row.append(text: orderReference)
        }
    }

    /// The columns of a page.
    package var face: Parameters {
        var row = opening
        row.append(json: String(decoding: order.json, as: UTF8.self))
        row.append(int64: order.subtotal.amount)
        row.append(int64: order.beforePostage)
        row.append(int64: postage)
        row.append(int64: postage.map { $0 + order.beforePostage })
        row.append(json: terms)
        row.append(digest: launchHash)
        row.append(digest: shown)
        return row
    }

    /// All columns.
    package var whole: Parameters {
        var row = face
        row.append(int64: placements)
        row.append(int64: attempt)
        row.append(uuid: attemptID)
        row.append(bytes: result)
        row.append(digest: tabHash)
        return row
    }

    /// The columns of a look at a tab.
    ///
    /// - Parameters:
    ///   - isTouchDue: Whether the look has to be written down.
    package func tab(_ id: UUIDBytes, isTouchDue: Bool = false) -> Parameters {
        var row = face
        row.append(bool: isTouchDue)
        row.append(uuid: id)
        return row
    }
}

extension Parameters {
    /// The same with what is sealed behind.
    package func sealed(_ bytes: [UInt8]?) -> Parameters {
        var row = self
        row.append(bytes: bytes)
        return row
    }
}
