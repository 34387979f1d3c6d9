/// How long a test asks again for what is to happen.
///
/// By the clock, and long: a number of rounds, turns or questions is used up fastest where those who are waited for get no
/// processor. It is reached only by a fault.
package struct Patience: Sendable {
    /// Less than what ends a hanging test, so that the report names what did not happen.
    package static let usual = Duration.seconds(240)

    private let end: ContinuousClock.Instant

    /// Patience that begins now.
    package init(_ limit: Duration = Patience.usual) {
        end = .now + limit
    }

    /// Whether to ask once more.
    package var isLeft: Bool { .now < end }
}
