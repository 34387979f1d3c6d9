package import Primitives

/// The state in which an object was seen, by whichever way the news came.
package struct ObservedVersion: Sendable, Hashable {
    /// The state.
    package let state: ObjectState
    /// When the object came into the state by the provider's clock, where the provider said so.
    package let updated: WallTime?

    /// What was seen of an object.
    ///
    /// - Parameters:
    ///   - updated: When the object came into it, by the provider's clock.
    package init(_ state: ObjectState, updated: WallTime? = nil) {
        self.state = state
        self.updated = updated
    }
}
