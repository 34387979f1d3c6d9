/// The names of an order that its permission has not shown yet.
package struct DueNaming: Sendable, Hashable {
    /// The order's reference.
    package let reference: String
    /// How often the names were sent.
    package let tries: Int

    /// Names that are missing.
    package init(reference: String, tries: Int) {
        self.reference = reference
        self.tries = tries
    }

    /// How often the names were sent, after a reading; `nil` where they are not sent again.
    ///
    /// - Returns: At most `PollSchedule.namings`.
    package func next(_ reading: NamingReading) -> Int? {
        switch reading {
        case .shown, .refused: nil
        case .missing: tries + 1 < PollSchedule.namings ? tries + 1 : nil
        case .heldBack: tries
        }
    }
}

/// What became of the names of an order when its permission was read.
package enum NamingReading: Sendable, Hashable {
    /// They are there.
    case shown
    /// They were not there, and were sent, or could not be sent now.
    case missing
    /// They were not there, and had no turn to be sent.
    case heldBack
    /// They were not there, and the provider does not take them.
    case refused
}
