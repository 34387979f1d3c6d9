import Accounts
import Checkout
import Commerce
import Cryptography
import MerchantOrders
import Postgres
import Primitives
import ServiceAPI
import SessionBroker

/// A session that a merchant's program opens: everything of it that is drawn before it is stored.
struct NewSession: Sendable {
    /// The webview session.
    let webviewSession: NewWebviewSession
    /// What is sold.
    let draft: OrderDraft
    /// The right to carry the request out.
    let claim: IdempotencyClaim
    /// Under which account.
    let account: OrderAccount
    /// When, by the program's clock, as the answer says it.
    let created: WallTime
    /// What of the order is kept as JSON.
    let texts: Texts
    /// The answer, sealed.
    var answer: StoredAnswer
    /// Whose order it is, where that was said.
    var owner: UUIDBytes?

    /// What of an order is kept as JSON.
    struct Texts: Sendable {
        /// The lines, sums in minor units.
        let lines: [UInt8]
        /// The merchant's own; `nil` for none.
        let metadata: [UInt8]?
        /// What comes on top of the lines or is taken off, in minor units; `nil` for none.
        let adjustments: [UInt8]?
        /// What is paid at each rate of tax but for the postage; `nil` where the prices exclude tax.
        let taxes: [UInt8]?
        /// What the crossing needs to know; `nil` where it follows from settings.
        let terms: [UInt8]?

        /// JSON.
        ///
        /// - Parameters:
        ///   - lines: Sums in minor units.
        ///   - adjustments: Minor units.
        ///   - taxes: What is paid at each rate, in minor units.
        init(
            lines: [UInt8],
            metadata: [UInt8]?,
            adjustments: [UInt8]? = nil,
            taxes: [UInt8]? = nil,
            terms: [UInt8]?
        ) {
            self.lines = lines
            self.metadata = metadata
            self.adjustments = adjustments
            self.taxes = taxes
            self.terms = terms
        }
    }

    /// A session that is opened.
    ///
    /// - Parameters:
    ///   - origin: The right to carry the request out, under which account, and when.
    ///   - texts: What is kept as JSON.
    ///   - answer: Sealed.
    init(
        _ webviewSession: NewWebviewSession,
        _ draft: OrderDraft,
        _ origin: (claim: IdempotencyClaim, account: OrderAccount, created: WallTime),
        texts: Texts,
        answer: StoredAnswer
    ) {
        self.webviewSession = webviewSession
        self.draft = draft
        claim = origin.claim
        account = origin.account
        created = origin.created
        self.texts = texts
        self.answer = answer
    }
}

/// What became of a session that was to be stored.
enum SessionCreationOutcome: Sendable, Hashable {
    /// It is stored.
    case stored
    /// Somebody had its claim before.
    case claimed(ClaimState)
    /// Another session that is open or paid has its reference; `nil` where that has ended meanwhile.
    case referenceHeld(by: UUIDBytes?)
    /// It is to be the order of an account that is not there or erased.
    case accountRefused(AccountRefusal)
}

/// Keeps what only webview sessions have that a merchant's program opened.
///
/// One per loop, with the loop's client. Not `Sendable`.
final class PostgresSessionCreation {
    /// Every statement that it sends.
    static let statements: [Statement] = [
        openStatement.statement, cancelStatement.statement, holderStatement.statement,
    ]

    let client: PostgresClient
    private let marker: TrailMarker?
    private let launchSeconds: Int64
    private let absoluteSeconds: Int64

    /// A store on a client of the same loop.
    ///
    /// - Parameters:
    ///   - policy: For the life of webview sessions, and the key of their trail.
    /// - Throws: `CryptographyError` where OpenSSL does not offer the algorithm of the marks.
    init(client: PostgresClient, policy: BrokerPolicy) throws(CryptographyError) {
        self.client = client
        if let key = policy.trailKey { marker = try TrailMarker(key) } else { marker = nil }
        launchSeconds = policy.times.launch.components.seconds
        absoluteSeconds = policy.times.absolute.components.seconds
    }

    // MARK: Open

    /// Claim, webview session, the beginning of its trail, order and answer: all of it or nothing.
    static let openStatement = TypedStatement<
        Void, Guarded, IdempotencyClaim, Int64, Int64, Int64, Int64, String, Digest32, Digest32?, Digest32?, UTF8Text,
        String?, WallTime, Int64?, String, OrderAccount, UTF8Text, Int32, [UInt8], String?, String?, UUIDBytes, Int64,
        String?, Bool, String?, UUIDBytes?
    >(
        name: "session_open_app",
        sql: """
            WITH \(ClaimSQL.claim(first: 4, webviewSession: "$1", status: "$23", answer: "$24")), e AS (
                INSERT INTO webview_session_trail (webview_session_id, ordinal, to_state, op, outcome, peer, request)
                SELECT $1, 1, 'issued'::webview_session_state, 'issue', 'issued', $2, $3
                WHERE EXISTS (SELECT FROM i)
            ), f AS (
                INSERT INTO webview_session (
                    webview_session_id, created_at, launch_until, idle_until, absolute_until, subtotal, tax_included, client, state,
                    events, attempt, placements, proof_misses, outcome, launch_hash, app_hash, challenge, cart, terms, postage,
                    total)
                SELECT $1, statement_timestamp(), statement_timestamp() + $7 * interval '1 second',
                    statement_timestamp() + $7 * interval '1 second', statement_timestamp() + $8 * interval '1 second',
                    $9, $10, $11::webview_session_client, 'issued'::webview_session_state, 1, 0, 0, 0, 'issued', $12, $13, $14, $15::json,
                    $16::json,
                    -- No tab will tell: an app's buyer is shown by the provider what was fixed here.
                    CASE $11 WHEN 'mobileApp' THEN $18 END, CASE $11 WHEN 'mobileApp' THEN $10 + $18 END
                WHERE EXISTS (SELECT FROM i)
            ), o AS (
                INSERT INTO merchant_order (
                    webview_session_id, key_id, created_at, updated_at, subtotal, tax, postage, total, state, client, currency,
                    reference, account, environment, lines, metadata, note, adjustments, taxes, account_id)
                SELECT $1, $27, $17, $17, $9, $28, $18, $10 + $18, 'created'::order_state, $11::webview_session_client, 'JPY',
                    CASE WHEN $30 THEN reference_claim($19, $20, $21) ELSE $19 END, $20, $21, $22::json, $25::json, $26,
                    $29::json, $31::json, CASE WHEN $32 IS NOT NULL THEN account_require($32) END
                WHERE EXISTS (SELECT FROM i)
            )
            SELECT claimed FROM i
            """
    )

    /// What the schema refuses a reference with that another session holds.
    private static let heldState = "SY001"

    static let holderStatement = TypedStatement<UUIDBytes?, String?, OrderAccount>(
        name: "session_reference_holder",
        sql: "SELECT reference_holder($1, $2, $3)"
    )

    /// The session that holds a reference; `nil` where it has ended meanwhile.
    private func holder(_ new: NewSession) async throws(StoreError) -> UUIDBytes? {
        let call = PostgresSessionCreation.holderStatement(new.draft.reference, new.account)
        return try await client.read(call).first()
    }

    /// Stores a session, once for its claim.
    ///
    /// - Parameters:
    ///   - new: In yen, with a postage that is known.
    /// - Returns: Whether it is stored, or why not.
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`.
    func open(_ new: NewSession, by caller: Caller) async throws(StoreError) -> SessionCreationOutcome {
        let call = call(new, caller)
        do throws(PostgresError) {
            let rows = try await client.write(call.statement, call.parameters, key: new.claim.lockKey)
            if rows.rowCount == 1 { return .stored }
        } catch {
            if error.sqlState == PostgresSessionCreation.heldState { return .referenceHeld(by: try await holder(new)) }
            let refusal = error.sqlState.flatMap { AccountRefusal(word: $0.octets) }
            if let refusal { return .accountRefused(refusal) }
            guard error.code == .outcomeUnknown else { throw StoreError(error) }
            return try await verifyCommit(new, error).map { .claimed($0) } ?? .stored
        }
        return .claimed(try await PostgresKeyStore(client: client).state(of: new.claim))
    }

    /// What became of a statement whose answer was lost: the claim has an answer if and only if it was committed.
    private func verifyCommit(_ new: NewSession, _ error: PostgresError) async throws(StoreError) -> ClaimState? {
        do throws(PostgresError) {
            try await client.waitUntilReady(within: PostgresSessionCreation.patience)
        } catch {
            throw StoreError(.outcomeUnknown, "verifying the commit: \(error.debugDescription)")
        }
        let state = try await PostgresKeyStore(client: client).state(of: new.claim)
        switch state {
        case .answered(_, let webviewSession) where webviewSession == new.webviewSession.id: return nil
        case .answered, .reused: return state
        case .running, .absent: throw StoreError(error)
        }
    }

    /// How long to wait for a connection, because a server that fell over may be back soon.
    private static let patience = Duration.seconds(3)

    private func call(_ new: NewSession, _ caller: Caller) -> StatementCall<Void> {
        let session = new.webviewSession
        var postage: Int64?
        if case .fixed(let sum) = new.draft.postage { postage = sum.units }
        return PostgresSessionCreation.openStatement(
            Guarded("issue", session.id, caller, marker),
            new.claim,
            // The buyer of an app gives no sign of life before the end.
            session.client == .mobileApp ? absoluteSeconds : launchSeconds,
            absoluteSeconds,
            session.order.subtotal,
            session.order.taxIncluded,
            session.client.rawValue,
            session.launchHash,
            session.appHash,
            session.challenge,
            UTF8Text(session.order.json),
            new.texts.terms.map { String(decoding: $0, as: UTF8.self) },
            new.created,
            postage,
            new.draft.reference ?? OrderNumber(session.id).description,
            new.account,
            UTF8Text(new.texts.lines),
            Int32(new.answer.status),
            new.answer.body,
            new.texts.metadata.map { String(decoding: $0, as: UTF8.self) },
            new.draft.options.note,
            new.claim.key,
            new.draft.tax.units,
            new.texts.adjustments.map { String(decoding: $0, as: UTF8.self) },
            new.draft.options.hasUniqueReference,
            new.texts.taxes.map { String(decoding: $0, as: UTF8.self) },
            new.owner
        )
    }

    // MARK: Cancel

    static let cancelStatement = TypedStatement<Void, Guarded>(
        name: "session_cancel",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET outcome = 'canceled', state = 'canceled', events = f.events + 1
                WHERE f.webview_session_id = $1 AND is_waiting(f.state)
                    AND EXISTS (SELECT FROM merchant_order AS m WHERE m.webview_session_id = $1)
                RETURNING f.webview_session_id, f.events, f.outcome, f.state
            ), \(OrderSQL.ended("canceled", event: "session.canceled")), \(SQLText.audit("'cancel'", reason: "'merchant'"))
            SELECT u.outcome FROM u
            """
    )

    /// Ends a session that the merchant cancels.
    ///
    /// - Returns: False for one that is not there, is paid or being paid, or has ended before.
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`.
    func cancel(_ webviewSession: WebviewSessionID, by caller: Caller) async throws(StoreError) -> Bool {
        let call = PostgresSessionCreation.cancelStatement(Guarded("cancel", webviewSession, caller, marker))
        return try await client.write(call, key: webviewSession, isLastStep: true).count == 1
    }
}
