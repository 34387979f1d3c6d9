import Commerce
import Postgres
import Primitives
import SessionBroker

/// The columns that statements return, in one order.
///
/// Three lists, each the beginning of the next, so that the longest can stand in for the others: `opening` for an open, `face`
/// for a page, `whole` for everything else.
enum WebviewSessionColumns {
    /// How many columns `face` has with verdict and state; what a statement adds comes behind.
    static let faceCount = 13

    /// How many columns `whole` has; what a statement adds comes behind.
    static let wholeCount = 18

    /// The columns of an open, of the row with the given name.
    static func opening(_ row: String) -> String {
        "\(row).verdict, \(row).state, \(row).client, \(row).met_at, \(row).order_ref"
    }

    /// The columns of a page behind verdict and state, which its statements compute.
    static func face(_ row: String) -> String {
        "\(row).client, \(row).met_at, \(row).order_ref, \(row).cart, \(row).subtotal, \(row).tax_included, "
            + "\(row).postage, \(row).total, \(row).terms, \(row).a_hash, \(row).shown"
    }

    /// All columns behind verdict and state.
    static func wholeAfterState(_ row: String) -> String {
        "\(face(row)), \(row).placements, \(row).attempt, \(row).attempt_id, \(row).result, \(row).b_hash"
    }

    /// All columns of the row with the given name.
    static func whole(_ row: String) -> String {
        "\(row).verdict, \(row).state, \(wholeAfterState(row))"
    }
}

/// A row with those columns, and how its cells become values.
struct WebviewSessionRow {
    let rows: ResultSet
    var row = 0
    /// By which it was found.
    let webviewSession: WebviewSessionID
    /// Where the sealed details are; `nil` where they were not asked for.
    var sealedColumn: Int?
    /// How long a lease lasts that somebody else may hold.
    var leaseSeconds = 0

    // The places of the columns.
    private static let verdict = 0
    private static let state = 1
    private static let client = 2
    private static let metAt = 3
    private static let orderReference = 4
    private static let cart = 5
    private static let subtotal = 6
    private static let taxIncluded = 7
    private static let postage = 8
    private static let total = 9
    private static let terms = 10
    private static let launchHash = 11
    private static let shown = 12
    private static let placements = 13
    private static let attempt = 14
    private static let attemptID = 15
    private static let result = 16
    private static let tabHash = 17

    // MARK: The columns of an open

    func word() throws(PostgresError) -> String { try rows.text(row, Self.verdict) }

    func state() throws(PostgresError) -> WebviewSessionState { try rows.word(row, Self.state) }

    func client() throws(PostgresError) -> ClientKind { try rows.word(row, Self.client) }

    private func isMet() throws(PostgresError) -> Bool { try !rows.isNull(row, Self.metAt) }

    private func orderReference() throws(PostgresError) -> String? {
        try rows.optionalText(row, Self.orderReference)
    }

    func openedTab() throws(PostgresError) -> OpenedTab {
        OpenedTab(
            webviewSession: webviewSession,
            client: try client(),
            review: try isMet() ? try orderReference() : nil
        )
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

    func total() throws(PostgresError) -> Yen? { try optionalYen(Self.total) }

    private func terms() throws(PostgresError) -> [UInt8]? {
        try rows.isNull(row, Self.terms) ? nil : try rows.json(row, Self.terms)
    }

    func record() throws(PostgresError) -> WebviewSessionRecord {
        WebviewSessionRecord(
            id: webviewSession,
            client: try client(),
            state: try state(),
            order: try order(),
            postage: try optionalYen(Self.postage),
            total: try total(),
            terms: try terms(),
            orderReference: try orderReference(),
            isMet: try isMet(),
            launchHash: try rows.digest(row, Self.launchHash),
            shown: try rows.isNull(row, Self.shown) ? nil : try rows.digest(row, Self.shown),
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
        let number = Int(try rows.int64(row, Self.placements))
        return Placement(view: view, total: total, orderReference: reference, number: number)
    }

    func attempt() throws(PostgresError) -> PurchaseAttempt {
        guard try !rows.isNull(row, Self.attemptID), let total = try total(), let reference = try orderReference()
        else {
            throw fault("is purchased without an attempt, a total or a session")
        }
        return PurchaseAttempt(
            webviewSession: webviewSession,
            client: try client(),
            number: Int(try rows.int64(row, Self.attempt)),
            id: try rows.uuid(row, Self.attemptID),
            orderReference: reference,
            total: total
        )
    }

    /// The answer to a purchase that succeeded, byte for byte.
    func answer() throws(PostgresError) -> [UInt8] {
        guard let answer = try rows.optionalBytes(row, Self.result) else {
            throw fault("is authorized without an answer")
        }
        return answer
    }

    /// The hash of the live tab token.
    func liveTab() throws(PostgresError) -> Digest32? {
        try rows.isNull(row, Self.tabHash) ? nil : try rows.digest(row, Self.tabHash)
    }

    // MARK: Parts

    private func order() throws(PostgresError) -> Order {
        do {
            return try Order(
                json: rows.json(row, Self.cart),
                subtotal: rows.yen(row, Self.subtotal),
                beforePostage: rows.yen(row, Self.taxIncluded)
            )
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
        return try rows.optionalBytes(row, sealedColumn)
    }

    private func optionalYen(_ column: Int) throws(PostgresError) -> Yen? {
        try rows.isNull(row, column) ? nil : try rows.yen(row, column)
    }

    private func fault(_ text: String) -> PostgresError {
        PostgresError(.decoding, "flow \(webviewSession) \(text)")
    }
}

extension ResultSet {
    /// A sum in whole yen.
    func yen(_ row: Int, _ column: Int) throws(PostgresError) -> Yen {
        let amount = try int64(row, column)
        guard let sum = Yen(exactly: amount) else { throw PostgresError(.decoding, "\(amount) is no sum") }
        return sum
    }
}
