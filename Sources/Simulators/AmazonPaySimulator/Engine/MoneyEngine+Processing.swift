import Primitives

/// Where the buyer stands after the processing page.
enum ProcessingOutcome: Sendable, Equatable {
    /// The money is held, or was before: on to the result URL.
    case held
    /// The session has just been canceled: on to the result URL, which will find that out.
    case canceled(SimulatedSession.CancelReason)
    /// Something is not set yet.
    case incomplete([SimulatedSession.Constraint])
    /// The card cannot be used here: another one must be chosen.
    case cardNotAllowed
    /// The session was canceled before.
    case wasCanceled(SimulatedSession.CancelReason)
}

extension MoneyEngine {
    /// Lets the bank decide about an open session that has everything it needs; asking again changes nothing.
    ///
    /// - Returns: `nil` for a session that is unknown.
    mutating func process(_ id: String) -> ProcessingOutcome? {
        guard let session = sessions[id] else { return nil }
        switch session.state {
        case .completed: return .held
        case .canceled(let reason): return .wasCanceled(reason)
        case .open(.some): return .held
        case .open(nil): break
        }
        guard session.constraints.isEmpty, let choice = session.choice else { return .incomplete(session.constraints) }
        switch choice.card.behaviour {
        case .success: return hold(id, .authorised)
        case .buyerCanceled: return cancel(id, .buyerCanceled)
        case .declined: return cancel(id, .declined)
        case .pending: return holdPending(session, declines: false)
        case .pendingDeclined: return holdPending(session, declines: true)
        }
    }

    private mutating func holdPending(_ session: SimulatedSession, declines: Bool) -> ProcessingOutcome {
        guard session.payment.intent == .authorize, session.payment.canHandlePendingAuthorization else {
            return .cardNotAllowed
        }
        return hold(session.id, .pending(declines: declines))
    }

    private mutating func hold(_ id: String, _ answer: SimulatedSession.Hold.Answer) -> ProcessingOutcome {
        sessions[id]?.hold(SimulatedSession.Hold(at: now, answer: answer))
        return .held
    }

    private mutating func cancel(_ id: String, _ reason: SimulatedSession.CancelReason) -> ProcessingOutcome {
        cancelSession(id, reason)
        return .canceled(reason)
    }
}
