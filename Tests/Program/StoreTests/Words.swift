import Checkout
import SessionBroker

/// The name of an enumeration's case, with that of what it refuses: `live`, `refused orphan`.
func word(_ outcome: Any) -> String {
    let mirror = Mirror(reflecting: outcome)
    guard mirror.displayStyle == .enum else { return "\(outcome)" }
    guard let payload = mirror.children.first, let name = payload.label else { return "\(outcome)" }
    return name == "refused" ? "refused " + word(payload.value) : name
}

/// One row of the table of states and outcomes.
struct Row: Sendable, CustomStringConvertible {
    let before: WebviewSessionState
    let outcome: String
    let after: WebviewSessionState

    init(_ before: WebviewSessionState, _ outcome: String, _ after: WebviewSessionState? = nil) {
        self.before = before
        self.outcome = outcome
        self.after = after ?? before
    }

    var description: String { "\(before) -> \(outcome), \(after)" }
}

/// Runs a body for each row of a table, with a webview session in the row's state, all on one database.
func withRows(
    _ rows: [Row],
    _ client: ClientKind = .iosApp,
    _ body: @escaping @Sendable (Rig, Row, Crossing) async throws -> Void
) async throws {
    try await withRig { rig in
        for row in rows { try await body(rig, row, rig.webviewSession(in: row.before, client)) }
    }
}
