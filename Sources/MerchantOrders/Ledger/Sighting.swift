package import Primitives

/// The state in which an object was seen, by whichever way the news came.
package struct Sighting: Sendable, Hashable {
    /// The state.
    package let state: ObjectState
    /// When the object came into the state by the provider's clock, where the provider said so.
    package let updated: WallTime?

    /// What was seen of an object.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - updated: When the object came into it, by the provider's clock.
    package init(_ state: ObjectState, updated: WallTime? = nil) {
        self.state = state
        self.updated = updated
    }

    /// Whether this sighting may take the place of another one of the same object.
    ///
    /// Answers, push messages and polls overtake each other: what is older changes nothing, and no object comes back from its end.
    ///
    /// - Parameters:
    ///   - old: What the ledger holds.
    ///   - kind: What the object is.
    /// - Returns: False for an earlier time, for no time against one, and for a state that is not final against one that is.
    package func replaces(_ old: Sighting, of kind: ObjectKind) -> Bool {
        if old.state.isFinal(for: kind), !state.isFinal(for: kind) { return false }
        guard let before = old.updated else { return true }
        guard let updated else { return false }
        return updated >= before
    }
}
