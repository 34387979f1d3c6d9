package import Commerce
package import Postgres
import Primitives
import SessionBroker

/// The columns that statements return, each at its place.
enum WebviewSessionColumn: Int, CaseIterable {
    case outcome, state, client, bothPresentedAt, orderReference
    case cart, subtotal, taxIncluded, postage, total, terms, launchHash, shown
    case placements, attempt, attemptID, result, tabHash

    /// Of a webview session's row.
    var name: String {
        switch self {
        case .outcome: "outcome"
        case .state: "state"
        case .client: "client"
        case .bothPresentedAt: "both_presented_at"
        case .orderReference: "order_ref"
        case .cart: "cart"
        case .subtotal: "subtotal"
        case .taxIncluded: "tax_included"
        case .postage: "postage"
        case .total: "total"
        case .terms: "terms"
        case .launchHash: "launch_hash"
        case .shown: "shown"
        case .placements: "placements"
        case .attempt: "attempt"
        case .attemptID: "attempt_id"
        case .result: "result"
        case .tabHash: "tab_hash"
        }
    }
}

/// The select lists of these columns.
///
/// Three lists, each the beginning of the next, so that the longest can stand in for the others: `opening` for an open, `face`
/// for a page, `whole` for everything else.
enum WebviewSessionColumns {
    /// How many columns `face` has with outcome and state; what a statement adds comes behind.
    static let faceCount = WebviewSessionColumn.shown.rawValue + 1

    /// How many columns `whole` has; what a statement adds comes behind.
    static let wholeCount = WebviewSessionColumn.tabHash.rawValue + 1

    /// The columns of an open, of the row with the given name.
    static func opening(_ row: String) -> String { list(row, .outcome, .orderReference) }

    /// The columns of a page behind outcome and state, which its statements compute.
    static func face(_ row: String) -> String { list(row, .client, .shown) }

    /// All columns behind outcome and state.
    static func wholeAfterState(_ row: String) -> String { list(row, .client, .tabHash) }

    /// All columns of the row with the given name.
    static func whole(_ row: String) -> String { list(row, .outcome, .tabHash) }

    private static func list(_ row: String, _ first: WebviewSessionColumn, _ last: WebviewSessionColumn) -> String {
        WebviewSessionColumn.allCases[first.rawValue...last.rawValue].map { "\(row).\($0.name)" }.joined(
            separator: ", "
        )
    }
}

/// A row with those columns, and how its cells become values.
struct WebviewSessionRow {
    let cells: LazyRow
    /// By which it was found.
    let webviewSession: WebviewSessionID
    /// Where the sealed details are; `nil` where they were not asked for.
    var sealedColumn: Int?
    /// How long a lease lasts that somebody else may hold.
    var leaseSeconds = 0

    private func read<Value: ColumnValue>(_ column: WebviewSessionColumn) throws(PostgresError) -> Value {
        try cells.read(column.rawValue)
    }

    // MARK: The columns of an open

    func word() throws(PostgresError) -> String { try read(.outcome) }

    func state() throws(PostgresError) -> WebviewSessionState { try read(.state) }

    func client() throws(PostgresError) -> ClientKind { try read(.client) }

    private func isMet() throws(PostgresError) -> Bool {
        try cells.isPresent(WebviewSessionColumn.bothPresentedAt.rawValue)
    }

    private func orderReference() throws(PostgresError) -> String? { try read(.orderReference) }

    func opened() throws(PostgresError) -> OpenedSession {
        OpenedSession(client: try client(), review: try isMet() ? try orderReference() : nil)
    }

    /// Whether the halves of a webview session that is not ready may meet, or meet once more.
    func canMeet() throws(PostgresError) -> Bool {
        guard try client().isApp else { return false }
        return switch try state() {
        case .reviewed: try !isMet()
        case .issued: try isMet()
        default: false
        }
    }

    // MARK: The columns of a page

    func total() throws(PostgresError) -> Yen? { try read(.total) }

    private func terms() throws(PostgresError) -> [UInt8]? {
        let terms: StoredJSON? = try read(.terms)
        return terms?.utf8
    }

    func record() throws(PostgresError) -> WebviewSessionRecord {
        WebviewSessionRecord(
            id: webviewSession,
            client: try client(),
            state: try state(),
            order: try order(),
            postage: try read(.postage),
            total: try total(),
            terms: try terms(),
            orderReference: try orderReference(),
            isMet: try isMet(),
            launchHash: try read(.launchHash),
            shown: try read(.shown),
            sealed: try sealed()
        )
    }

    func view() throws(PostgresError) -> WebviewSessionView { WebviewSessionView(try record()) }

    func awaitedOrder() throws(PostgresError) -> AwaitedOrder {
        guard let total = try total() else { throw fault("of an app has no total") }
        return AwaitedOrder(total: total, terms: try terms())
    }

    // MARK: All columns

    func placement() throws(PostgresError) -> Placement {
        let view = try view()
        guard let total = view.total, let reference = view.orderReference else {
            throw fault("is placed without a total or a session")
        }
        return Placement(
            view: view,
            total: total,
            orderReference: reference,
            number: try read(.placements),
            isRepeat: try word() == "placed_again"
        )
    }

    func attempt() throws(PostgresError) -> PurchaseAttempt {
        guard let id: UUIDBytes = try read(.attemptID), let total = try total(), let reference = try orderReference()
        else {
            throw fault("is purchased without an attempt, a total or a session")
        }
        return PurchaseAttempt(
            webviewSession: webviewSession,
            client: try client(),
            number: try read(.attempt),
            id: id,
            orderReference: reference,
            total: total
        )
    }

    /// The answer to a purchase that succeeded, byte for byte.
    func answer() throws(PostgresError) -> [UInt8] {
        guard let answer: [UInt8] = try read(.result) else {
            throw fault("is authorized without an answer")
        }
        return answer
    }

    /// The hash of the live tab token.
    func liveTab() throws(PostgresError) -> Digest32? { try read(.tabHash) }

    // MARK: Parts

    private func order() throws(PostgresError) -> Order {
        do {
            let cart: StoredJSON = try read(.cart)
            return try Order(json: cart.utf8, subtotal: read(.subtotal), beforePostage: read(.taxIncluded))
        } catch let error as CommerceError {
            throw PostgresError(.decoding, error.debugDescription)
        } catch let error as PostgresError {
            throw error
        } catch {
            throw PostgresError(.decoding, "\(error)")
        }
    }

    private func sealed() throws(PostgresError) -> [UInt8]? {
        guard let sealedColumn else { return nil }
        return try cells.read(sealedColumn)
    }

    private func fault(_ text: String) -> PostgresError {
        PostgresError(.decoding, "webview session \(webviewSession) \(text)")
    }
}

/// A sum in whole yen.
extension Yen: ColumnValue {
    package static func read(_ rows: ResultSet, _ row: Int, _ column: Int) throws(PostgresError) -> Yen {
        let amount = try rows.int64(row, column)
        guard let sum = Yen(exactly: amount) else { throw PostgresError(.decoding, "\(amount) is no sum") }
        return sum
    }
}
