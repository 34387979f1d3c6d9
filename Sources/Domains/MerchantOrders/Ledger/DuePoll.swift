package import Primitives

/// An object that is to be read now, and what is known of it.
package struct DuePoll: Sendable, Hashable {
    /// What it is.
    package let kind: ObjectKind
    /// The provider's id.
    package let id: String
    /// The order it belongs to.
    package let webviewSession: UUIDBytes
    /// Its state in the ledger; `nil` where the ledger does not have it yet.
    package let state: ObjectState?
    /// How many readings the schedule has had in this state, how many of them brought no answer lately, and for how long it is
    /// in the state.
    package let history: PollHistory
    /// Whether a message asked for this reading, and not the schedule.
    package let isNotified: Bool
    /// The names of its order, where it has not shown them; of a permission only.
    package let naming: DueNaming?

    /// An object that is to be read.
    ///
    /// - Parameters:
    ///   - history: What became of the readings before.
    ///   - isNotified: Whether a message asked for this reading.
    ///   - naming: The names of its order that it has not shown.
    package init(
        _ kind: ObjectKind,
        _ id: String,
        of webviewSession: UUIDBytes,
        state: ObjectState?,
        history: PollHistory,
        isNotified: Bool,
        naming: DueNaming? = nil
    ) {
        self.kind = kind
        self.id = id
        self.webviewSession = webviewSession
        self.state = state
        self.history = history
        self.isNotified = isNotified
        self.naming = naming
    }

    /// What follows from a reading.
    ///
    /// - Parameters:
    ///   - named: What became of the names of its order, where they were due and it was read.
    /// - Returns: When to read again, if ever, and what to report to people.
    package func outcome(_ reading: PollReading, _ named: NamingReading? = nil) -> PollOutcome {
        switch reading {
        case .gone: return afterDenial()
        case .failed: return afterFailure()
        case .heldBack: return PollOutcome(.putBack, .failed)
        case .seen(let seen):
            // The ledger that takes the new state in makes a new schedule for it; a permission has one for its whole life.
            let isMoved = seen != state && (kind != .permission || seen.isFinal(for: kind))
            return isMoved ? PollOutcome(.release, .changed) : afterReading(seen, named)
        }
    }

    /// One 404 may be of a key or an account that was wrong for a minute.
    private func afterDenial() -> PollOutcome {
        guard let missing = history.missing, missing >= PollSchedule.missingLimit else {
            let pause = PollSchedule.missingLimit - (history.missing ?? .zero)
            return PollOutcome(.againIfMissing(after: pause), .failed)
        }
        return PollOutcome(.end, .gone)
    }

    private func afterReading(_ seen: ObjectState, _ named: NamingReading?) -> PollOutcome {
        let word: PollOutcome.Word = seen == state ? .same : .changed
        guard let subject = PollSubject(kind, seen) else { return PollOutcome(.end, word) }
        // What a message asked for, or the missing names of an order, is not one of the schedule's readings.
        let polls = history.polls + (isNotified || naming != nil ? 0 : 1)
        let tries = named.flatMap { naming?.next($0) }
        let next = PollSchedule.next(subject, polls: polls, age: history.age)
        if let tries {
            let soon = named == .heldBack ? PollSchedule.heldBack : PollSchedule.naming(tries: tries)
            let pause = next.map { min($0, soon) } ?? soon
            return PollOutcome(.again(after: pause, polls: polls, failures: 0, namings: tries), word)
        }
        if let next { return PollOutcome(.again(after: next, polls: polls, failures: 0), word) }
        return PollOutcome(.end, PollSchedule.endsInAlarm(subject) ? .ended : word)
    }

    private func afterFailure() -> PollOutcome {
        let failures = history.failures + 1
        // An object of which nothing is expected is read because of a message: for a day.
        let subject = state.flatMap { PollSubject(kind, $0) } ?? .pendingAuthorization
        guard let pause = PollSchedule.retry(subject, failures: failures, age: history.age) else {
            return PollOutcome(.end, .ended)
        }
        let step = PollOutcome.Step.again(
            after: pause,
            polls: history.polls,
            failures: failures,
            namings: naming?.tries
        )
        return PollOutcome(step, .failed)
    }
}

/// What became of the readings of an object in its present state.
package struct PollHistory: Sendable, Hashable {
    /// How many readings the schedule has had.
    package let polls: Int
    /// How many readings in a row brought no answer.
    package let failures: Int
    /// Since the object came into its state, as far as was seen.
    package let age: Duration
    /// Since the first of readings in a row that the provider answered with 404; `nil` where the last was answered otherwise.
    package let missing: Duration?

    /// A history.
    ///
    /// - Parameters:
    ///   - polls: How many readings the schedule has had.
    ///   - failures: How many readings in a row brought no answer.
    ///   - age: Since the object came into its state.
    ///   - missing: Since the first 404 in a row.
    package init(polls: Int, failures: Int, age: Duration, missing: Duration? = nil) {
        self.polls = polls
        self.failures = failures
        self.age = age
        self.missing = missing
    }
}

/// What the provider said when an object was read.
package enum PollReading: Sendable, Hashable {
    /// The object, in a state.
    case seen(ObjectState)
    /// There is no such object.
    case gone
    /// Nothing that could be understood.
    case failed
    /// It was not asked: the question had no turn.
    case heldBack
}

/// What follows from the reading of an object.
package struct PollOutcome: Sendable, Hashable {
    /// What becomes of the schedule.
    package enum Step: Sendable, Hashable {
        /// Read again after a while; `namings` is how often the names of an order were sent that are missing still.
        case again(after: Duration, polls: Int, failures: Int, namings: Int? = nil)
        /// Read again after a while; the provider denies the object.
        case againIfMissing(after: Duration)
        /// Read again in a moment; all else is as it was before.
        case putBack
        /// As the ledger has decided when it took the reading in.
        case release
        /// Never again, unless a message asks for it.
        case end
    }

    /// What to count.
    package enum Word: String, Sendable, Hashable, CaseIterable {
        /// The object has another state than before.
        case changed
        /// Nothing is new.
        case same
        /// No answer, the first 404, or no turn; asked again later.
        case failed
        /// The provider has not known the object for an hour; never asked again.
        case gone
        /// The end of the schedule came before the end of the object: a person has to look.
        case ended
    }

    /// What becomes of the schedule.
    package let step: Step
    /// What to count.
    package let word: Word

    /// A outcome.
    package init(_ step: Step, _ word: Word) {
        self.step = step
        self.word = word
    }
}
