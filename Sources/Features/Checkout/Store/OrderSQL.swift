import Postgres

/// Pieces of SQL about orders that statements about webview sessions share.
///
/// They follow a common table expression `u` that changed the webview session `$1` and returned its row; they do nothing where
/// the webview session has no order. The row of the webview session is locked before that of the order, and the order's before
/// its ledger.
package enum OrderSQL {
    /// The part of the id of `o` that its number is made of (`OrderNumber.lastBytes`), as an index has it.
    package static let numberBytes = "substring(uuid_send(o.webview_session_id) FROM 11)"

    /// The event of each order in `o`, which returns the order's id, its count of events, the type and the data.
    static let announced = """
        m AS (
            INSERT INTO event (subject_id, event_id, sequence, at, subject_kind, type, data)
            SELECT o.webview_session_id, id_new(), o.events, statement_timestamp(), 'session', o.type, o.data FROM o
        )
        """

    /// Moves the order of the webview session to a state and writes an event.
    ///
    /// - Parameters:
    ///   - state: A word of `order_state`.
    ///   - event: The type of the event for merchants.
    ///   - condition: On the row of `u`; where it does not hold nothing happens.
    ///   - decline: The parameter with the reason of a payment that was declined.
    /// - Returns: The expressions `o` and `m`.
    package static func ended(
        _ state: String,
        event: String,
        where condition: String = "true",
        decline: String? = nil
    ) -> String {
        """
        o AS (
            UPDATE merchant_order AS o SET
                state = '\(state)', events = o.events + 1, updated_at = statement_timestamp()
                \(decline.map { ", decline_reason = \($0), declined_at = statement_timestamp()" } ?? "")
            WHERE o.webview_session_id = $1 AND EXISTS (SELECT FROM u WHERE \(condition))
            RETURNING o.webview_session_id, o.events, '\(event)' AS type, order_event_data(o, NULL) AS data
        ), \(announced)
        """
    }

    /// Writes one event that the provider agreed before the bank has decided; `u` only finds the webview session.
    static let pending = """
        o AS (
            UPDATE merchant_order AS o SET
                state = 'payment_pending', events = o.events + 1, updated_at = statement_timestamp()
            WHERE o.webview_session_id = $1 AND o.state = 'created' AND EXISTS (SELECT FROM u)
            RETURNING o.webview_session_id, o.events, 'session.payment_pending' AS type, order_event_data(o, NULL) AS data
        ), \(announced)
        """

    /// Takes that back where the attempt came to nothing.
    static let released = """
        o AS (
            UPDATE merchant_order AS o SET state = 'created', updated_at = statement_timestamp()
            WHERE o.webview_session_id = $1 AND o.state = 'payment_pending' AND EXISTS (SELECT FROM u)
        )
        """

    /// Makes the order of a webview session of the program's own shop when the buyer agrees; an order that a merchant opened is
    /// there and learns what the buyer agreed to.
    ///
    /// - Parameters:
    ///   - reference: The parameter with the name of the order.
    /// - Returns: The expression `o`.
    static func placed(reference: String, account: (id: String, environment: String)) -> String {
        """
        o AS (
            INSERT INTO merchant_order AS o (
                webview_session_id, created_at, updated_at, subtotal, tax, postage, total, state, client, currency, reference, account,
                environment, checkout_session, lines, taxes)
            SELECT u.webview_session_id, u.created_at, statement_timestamp(), u.subtotal, u.tax_included - u.subtotal, u.postage, u.total,
                'created', u.client, 'JPY', \(reference), \(account.id), \(account.environment), u.order_ref,
                order_lines(u.cart), order_cart_taxes(u.cart)
            FROM u WHERE u.outcome = 'placed'
            ON CONFLICT (webview_session_id) DO UPDATE SET
                postage = excluded.postage, total = excluded.total, checkout_session = excluded.checkout_session,
                state = excluded.state, updated_at = excluded.updated_at
        )
        """
    }

    /// Stores in the order of an app's webview session which session its buyer came back with; one that was declined is open
    /// again.
    ///
    /// - Returns: The expression `o`.
    static func arrived(session: String) -> String {
        """
        o AS (
            UPDATE merchant_order AS o SET
                state = 'created', checkout_session = \(session), updated_at = statement_timestamp()
            WHERE o.webview_session_id = $1 AND EXISTS (SELECT FROM u WHERE u.outcome = 'arrived')
        )
        """
    }

    /// Ends the order of a webview session that was settled as `$5`, for the reason `$9`, begins its ledger, and writes an event of both.
    ///
    /// What the statement itself writes it does not see: the charge of the data is the one that `p` returns. One that is in the
    /// ledger already has been told of.
    ///
    /// - Parameters:
    ///   - charge: The parameters with the charge and its state.
    ///   - isNamed: The parameter that says whether the provider has shown the order's names; where not, the permission is read
    ///     at once, and named.
    /// - Returns: The expressions `k`, `o`, `p`, `n` and `m`.
    static func settled(permission: String, charge: (id: String, state: String), isNamed: String) -> String {
        """
        k AS (
            SELECT object_event('charge', \(charge.state)) AS type
            WHERE $5 = 'authorized' AND \(charge.id) IS NOT NULL
                AND NOT EXISTS (SELECT FROM payment_object AS c WHERE c.object_id = \(charge.id))
        ), o AS (
            UPDATE merchant_order AS o SET
                state = CASE $5 WHEN 'authorized' THEN 'paid' ELSE 'declined' END::order_state,
                decline_reason = CASE $5 WHEN 'declined' THEN $9 ELSE o.decline_reason END,
                declined_at = CASE $5 WHEN 'declined' THEN statement_timestamp() ELSE o.declined_at END,
                charge_permission = \(permission), events = o.events + 1 + (SELECT count(k.type) FROM k),
                updated_at = statement_timestamp()
            WHERE o.webview_session_id = $1 AND EXISTS (SELECT FROM u)
            RETURNING o AS entry, o.webview_session_id, o.events, o.total, o.currency, 'session.' || o.state AS type
        ), p AS (
            INSERT INTO payment_object AS p (
                webview_session_id, created_at, observed_at, amount, kind, final, object_id, parent, currency, state)
            SELECT o.webview_session_id, statement_timestamp(), statement_timestamp(), o.total, k.kind::object_kind, false, k.id, k.parent,
                o.currency, k.state
            FROM o, (VALUES
                ('permission', \(permission), NULL, 'Chargeable'),
                ('charge', \(charge.id), \(permission), \(charge.state))) AS k (kind, id, parent, state)
            WHERE $5 = 'authorized' AND k.id IS NOT NULL
            ON CONFLICT (object_id) DO NOTHING
            RETURNING p AS entry, p.kind, p.object_id
        ), n AS (
            -- Behind this the trigger of the ledger finds the row, and leaves it.
            INSERT INTO payment_poll AS q (
                object_id, kind, webview_session_id, since, next_at, polls, failures, notified, namings)
            SELECT p.object_id, p.kind, $1, statement_timestamp(), statement_timestamp(), 0, 0, false, 0
            FROM p WHERE p.kind = 'permission' AND NOT \(isNamed)
            ON CONFLICT (object_id) DO NOTHING
        ), m AS (
            INSERT INTO event (subject_id, event_id, sequence, at, subject_kind, type, data)
            SELECT o.webview_session_id, id_new(), o.events - e.later, statement_timestamp(), 'session', e.type,
                order_event_data(o.entry, e.object, c.entry)
            FROM o LEFT JOIN p AS c ON c.kind = 'charge', LATERAL (
                SELECT o.type, NULL::json AS object, (SELECT count(k.type) FROM k) AS later
                UNION ALL
                SELECT k.type, object_event_data(c.entry), 0 FROM k WHERE k.type IS NOT NULL) AS e
        )
        """
    }

    /// Ends the orders of the webview sessions behind `$1` that a sweep looked at and that have ended: those it expired itself,
    /// in `u`, and those that ended by a statement that does not know orders, in `w`.
    ///
    /// - Parameter range: A condition on the ids of `o`.
    /// - Returns: The expressions `o` and `m`.
    static func swept(where range: String) -> String {
        """
        o AS (
            UPDATE merchant_order AS o SET
                state = CASE WHEN o.webview_session_id = ANY (ARRAY(
                        SELECT w.webview_session_id FROM w WHERE w.state IN ('revoked', 'canceled')))
                    THEN 'canceled' ELSE 'expired' END::order_state,
                events = o.events + 1, updated_at = statement_timestamp()
            WHERE \(range) AND o.state IN ('created', 'payment_pending') AND o.webview_session_id = ANY (ARRAY(
                SELECT u.webview_session_id FROM u
                UNION ALL SELECT w.webview_session_id FROM w WHERE w.state IN ('expired', 'revoked', 'canceled')))
            RETURNING o.webview_session_id, o.events, 'session.' || o.state AS type, order_event_data(o, NULL) AS data
        ), \(announced)
        """
    }
}
