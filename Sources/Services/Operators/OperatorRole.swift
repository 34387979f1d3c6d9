/// What a person of the shop's staff may do on the pages of the administration listener.
package enum OperatorRole: String, Sendable, CaseIterable {
    /// Look at everything, and change nothing.
    case view
    /// Change things, too.
    case change

    /// Whether what asks for a role is open to this one.
    package func includes(_ role: OperatorRole) -> Bool { self == .change || role == .view }
}
