import Program

/// Lets time pass for a shop without waiting.
///
/// The simulator has a clock that can be set. The broker goes by the clock of the database, which cannot: instead, everything
/// that was written down moves into the past. Times of the provider's own clock stay as they are.
package struct TimeTravel: Sendable {
    private let shop: Shop

    /// Time travel of a shop, whose `jobPause` is short.
    package init(_ shop: Shop) {
        self.shop = shop
    }

    /// Lets a while pass, and the broker do what is due then.
    ///
    /// - Parameters:
    ///   - duration: Whole seconds.
    ///   - step: After how much of it the broker looks at what is due; `nil` for once, at the end.
    package func advance(by duration: Duration, step: Duration? = nil) async throws {
        var rest = duration
        while rest > .zero {
            let next = min(rest, step ?? rest)
            rest -= next
            try await shop.control.advanceClock(by: "PT\(next.components.seconds)S")
            try shop.rows(TimeTravel.shift(by: next.components.seconds))
            // What the first round begins the second one has ended.
            for _ in 0..<2 { await shop.broker.nextJobRuns() }
        }
    }

    /// Lets a while pass for the broker alone: whatever the provider would do by its clock does not happen.
    ///
    /// - Parameters:
    ///   - duration: Whole seconds.
    ///   - step: After how much of it the broker looks at what is due.
    package func passWithoutProvider(_ duration: Duration, step: Duration) async throws {
        var rest = duration
        while rest > .zero {
            let next = min(rest, step)
            rest -= next
            try shop.rows(TimeTravel.shift(by: next.components.seconds))
            for _ in 0..<2 { await shop.broker.nextJobRuns() }
        }
    }

    /// Moves every time in every table back.
    private static func shift(by seconds: Int64) -> String {
        """
        DO $$
        DECLARE
            t record;
        BEGIN
            FOR t IN
                SELECT c.relname,
                    string_agg(format('%1$I = %1$I - interval %2$L', a.attname, '\(seconds) seconds'), ', ') AS moves
                FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
                WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
                    AND c.relname NOT LIKE 'feature_%' AND a.atttypid = 'timestamptz'::regtype AND NOT a.attisdropped
                    AND a.attname <> 'object_updated_at'
                -- The webview session before its purchase, the order before its payments: as the broker locks them.
                GROUP BY c.relname ORDER BY c.relname
            LOOP
                EXECUTE format('UPDATE %I SET %s', t.relname, t.moves);
            END LOOP;
        END $$
        """
    }
}
