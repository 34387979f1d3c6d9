import Commerce
import Postgres
import SessionBroker

// The words of the guarded statements, each once, and what the row says besides.

extension OpenOutcome: StatementOutcome where Opened == OpenedSession {
    static var ofNoRow: OpenOutcome { .unknown }

    init?(_ word: String, _ row: WebviewSessionRow) throws(PostgresError) {
        switch word {
        case "opened": self = .opened(try row.opened())
        case "reopened": self = .reopened(try row.opened())
        case "same_tab": self = .sameTab(review: try row.opened().review)
        case "doubled": self = .doubled
        case "reused": self = .reused(try row.state())
        case "wrong_browser": self = .wrongBrowser
        case "expired": self = .expired
        case "finished": self = .finished(try row.state())
        case "dead": self = .dead(try row.state())
        default: return nil
        }
    }
}

extension TabRefusal {
    /// The refusal of a tab token whose webview session is in the given state after the statement.
    init?(_ word: String, in state: WebviewSessionState) {
        switch word {
        case "expired": self = .expired
        case "orphan": self = .superseded
        case "closed": self = .closed(state)
        default: return nil
        }
    }

    fileprivate init?(_ word: String, _ row: WebviewSessionRow) throws(PostgresError) {
        self.init(word, in: try row.state())
    }
}

extension TabOutcome {
    /// The outcome for a webview session that was read, in the state that it has after the statement.
    init?(_ word: String, _ view: WebviewSessionView, in state: WebviewSessionState) {
        switch word {
        case "live": self = .live(view)
        case "read_only": self = .readOnly(view)
        default:
            guard let refusal = TabRefusal(word, in: state) else { return nil }
            self = .refused(refusal)
        }
    }
}

extension ReviewOutcome: StatementOutcome {
    static var ofNoRow: ReviewOutcome { .refused(.unknown) }

    init?(_ word: String, _ row: WebviewSessionRow) throws(PostgresError) {
        switch word {
        case "reviewed": self = .reviewed(try row.view())
        case "order_mismatch": self = .orderMismatch
        case "declined": self = .declined
        case "read_only": self = .readOnly
        default:
            guard let refusal = try TabRefusal(word, row) else { return nil }
            self = .refused(refusal)
        }
    }
}

extension PlaceOutcome: StatementOutcome {
    static var ofNoRow: PlaceOutcome { .refused(.unknown) }

    init?(_ word: String, _ row: WebviewSessionRow) throws(PostgresError) {
        switch word {
        case "placed", "placed_again": self = .placed(try row.placement())
        case "not_reviewed": self = .notReviewed
        case "declined": self = .declined
        case "session_mismatch": self = .webviewSessionMismatch
        case "price_changed": self = .priceChanged(try row.total() ?? .zero)
        case "not_met": self = .notMet
        case "read_only": self = .readOnly
        default:
            guard let refusal = try TabRefusal(word, row) else { return nil }
            self = .refused(refusal)
        }
    }
}

extension CancelOutcome: StatementOutcome {
    static var ofNoRow: CancelOutcome { .refused(.unknown) }

    init?(_ word: String, _ row: WebviewSessionRow) throws(PostgresError) {
        switch word {
        case "canceled": self = .canceled
        case "read_only": self = .readOnly
        default:
            guard let refusal = try TabRefusal(word, row) else { return nil }
            self = .refused(refusal)
        }
    }
}

extension PurchaseRefusal {
    fileprivate init?(_ word: String, _ row: WebviewSessionRow) throws(PostgresError) {
        switch word {
        case "proof_required": self = .proofRequired
        case "proof_mismatch": self = .proofMismatch
        case "not_priced": self = .notPriced
        case "price_changed": self = .priceChanged(try row.total())
        case "order_mismatch": self = .orderMismatch
        case "not_ready": self = .notReady(canMeet: try row.canMeet())
        case "in_progress": self = .inProgress(retryAfter: row.leaseSeconds, total: try row.total())
        case "declined": self = .declined
        case "expired": self = .expired
        case "dead": self = .dead(try row.state())
        default: return nil
        }
    }
}

extension BeginOutcome: StatementOutcome {
    static var ofNoRow: BeginOutcome { .refused(.unknown) }

    init?(_ word: String, _ row: WebviewSessionRow) throws(PostgresError) {
        switch word {
        case "begin": self = .begin(try row.attempt())
        case "recover": self = .recover(try row.attempt())
        case "replayed": self = .replayed(try row.answer())
        default:
            guard let refusal = try PurchaseRefusal(word, row) else { return nil }
            self = .refused(refusal)
        }
    }
}

extension CheckOutcome: StatementOutcome {
    static var ofNoRow: CheckOutcome { .refused(.unknown) }

    init?(_ word: String, _ row: WebviewSessionRow) throws(PostgresError) {
        switch word {
        case "begin", "recover", "in_progress", "replayed", "not_ready": self = .proven
        default:
            guard let refusal = try PurchaseRefusal(word, row) else { return nil }
            self = .refused(refusal)
        }
    }
}

extension MobileReturnOutcome: StatementOutcome {
    static var ofNoRow: MobileReturnOutcome { .refused(.unknown) }

    init?(_ word: String, _ row: WebviewSessionRow) throws(PostgresError) {
        switch word {
        case "arrived": self = .arrived(try row.awaitedOrder())
        case "present": self = .present(try row.awaitedOrder())
        case "proof_required": self = .unproven(.proofRequired, try row.awaitedOrder())
        case "proof_mismatch": self = .unproven(.proofMismatch, try row.awaitedOrder())
        default:
            guard let refusal = try PurchaseRefusal(word, row) else { return nil }
            self = .refused(refusal)
        }
    }
}

extension ReceiptOutcome: StatementOutcome {
    static var ofNoRow: ReceiptOutcome { .unknown }

    init?(_ word: String, _ row: WebviewSessionRow) throws(PostgresError) {
        switch word {
        case "shown": self = .receipt(try row.view())
        case "proof_required", "proof_mismatch": self = .unknown
        case "not_ready": self = .notBought
        case "over": self = .over
        case "dead": self = .dead
        default: return nil
        }
    }
}
