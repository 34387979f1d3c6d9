/// What feeding bytes to a parser led to.
package struct ParseStep: Sendable, Hashable {
    /// What the bytes led to.
    package enum Outcome: Sendable, Hashable {
        /// The request is not complete yet.
        ///
        /// The next call gets the bytes that were not consumed once more, with new ones behind them.
        case needMore
        /// The head is complete and content follows; a good moment to look at the route.
        ///
        /// The caller may set `bodyLimit` and goes on feeding, answers an expectation, or refuses and closes.
        case head(BodyAnnouncement)
        /// The request is complete; the next byte belongs to another one.
        case complete
        /// The request is refused; every further call says the same.
        case failed(HTTP1Error)
    }

    /// How many of the bytes are done with and may be dropped.
    package let consumed: Int
    /// What the bytes led to.
    package let outcome: Outcome
}

/// What a head says about the content that follows it.
package struct BodyAnnouncement: Sendable, Hashable {
    /// The number of bytes; `nil` where the content comes in chunks.
    package let length: Int?
    /// Whether the client waits for `100 Continue` before it sends the content.
    package let expectsContinue: Bool
}
