import SessionBroker
import Settings

extension PostgresSessionStore {
    /// Refuses a database whose programs work under other rules: the weakest rules would hold for all.
    ///
    /// - Parameters:
    ///   - isAllowed: Whether the settings take the place of what is in force.
    /// - Throws: `ConfigurationError` that names what differs; what the store says.
    func demandPolicy(_ policy: BrokerPolicy, orAllowed isAllowed: Bool) async throws {
        let found = try await claimPolicy(replacing: isAllowed)
        let theirs = Set(found.split(separator: " "))
        let ours = policy.words.split(separator: " ").filter { !theirs.contains($0) }
        guard !ours.isEmpty else { return }
        throw ConfigurationError(problems: [
            """
            database: it records other rules than \(ours.joined(separator: " ")) (\(found)); change the settings, use another \
            database, or set session.allow_policy_change while you change the rules
            """
        ])
    }
}
