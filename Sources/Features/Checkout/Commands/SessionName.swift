import Primitives
import SessionBroker

/// A session as an operator names it.
struct SessionName: Sendable, Equatable {
    let text: String

    /// What it may be, for help texts.
    static let forms = """
        SESSION is the id of the session (`webview_session` in the log, Webview-Session-Id in answers, the merchant reference in the
        provider's console), the number of the order, the merchant's reference for it, or the id of its checkout session,
        charge permission, charge or refund.
        """

    /// The sessions of that name, the newest first.
    ///
    /// - Returns: An id as it is, whether there is such a session or not; of a merchant's reference there may be several.
    /// - Throws: What the store says.
    func sessions(in store: PostgresSessionStore) async throws(StoreError) -> [WebviewSessionID] {
        // Ids of sessions are of version 7, those of the provider's checkout sessions of version 4.
        if let id = UUIDBytes(text), id.high >> 12 & 0xF == 7 { return [id] }
        return try await store.sessions(named: text)
    }

    /// The only session of that name.
    ///
    /// - Returns: The session, or what to say where there is none, or more than one.
    /// - Throws: What the store says.
    func session(in store: PostgresSessionStore) async throws(StoreError) -> Result<WebviewSessionID, Ambiguity> {
        let found = try await sessions(in: store)
        guard let first = found.first else { return .failure(Ambiguity(text: "no session is known by \(text)")) }
        guard found.count == 1 else {
            let ids = found.prefix(10).map(\.description).joined(separator: ", ")
            return .failure(Ambiguity(text: "\(text) names \(found.count) sessions: give the id of one, \(ids)"))
        }
        return .success(first)
    }

    /// A name that is not one session's.
    struct Ambiguity: Error {
        let text: String
    }
}
