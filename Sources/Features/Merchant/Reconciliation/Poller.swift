import AmazonPay
import Checkout
import EventIO
import MerchantOrders
import Operations
import Primitives
import Telemetry

/// Reads objects at the provider that can change without anybody's doing: when their schedule says so, or a message.
///
/// Every schedule has an end (`PollSchedule`). One per loop; the first loop's goes round by the clock, the others' read what a
/// message on their loop has announced.
final class Poller {
    private let polls: PostgresPollStore
    private let orders: any OrderStore
    private let checkout: CheckoutService
    private let counters: PollCounters
    private let reactor: Reactor
    private let logger: Logger
    private var isBusy = false
    private var isAskedAgain = false
    private var isStopped = false

    /// How many objects are taken at once; they are read one after the other, well within the lease of all.
    private static let batch = 8
    /// After which a run begins no further batch; the objects that are left come with the next one.
    static let budget = Duration.seconds(60)

    /// A poller for one loop.
    init(
        polls: PostgresPollStore,
        orders: any OrderStore,
        checkout: CheckoutService,
        counters: PollCounters,
        reactor: Reactor,
        logger: Logger
    ) {
        self.polls = polls
        self.orders = orders
        self.checkout = checkout
        self.counters = counters
        self.reactor = reactor
        self.logger = logger
    }

    /// Looks soon at what is due; returns at once.
    func wake() {
        guard !isStopped else { return }
        guard !isBusy else {
            isAskedAgain = true
            return
        }
        reactor.startTask { await self.run(.unlimited) }
    }

    /// Ends after the object that is being read.
    func stop() {
        isStopped = true
    }

    /// Reads everything that is due.
    func run(_ budget: RunBudget) async {
        guard !isBusy else {
            isAskedAgain = true
            return
        }
        isBusy = true
        defer { isBusy = false }
        repeat {
            isAskedAgain = false
            do throws(StoreError) {
                while !isStopped, !budget.isSpent, try await readSome() {}
            } catch {
                logger.warning("poll.failed", [LogField("detail", error.debugDescription)])
            }
        } while isAskedAgain && !isStopped && !budget.isSpent
    }

    /// Reads some objects; false where fewer were due than could be taken, and where one had no turn: the next run is soon.
    private func readSome() async throws(StoreError) -> Bool {
        let attempt = UUIDBytes(version7At: SystemClock().now(), random: reactor.random)
        let due = try await polls.claim(limit: Poller.batch, attempt: attempt)
        var hasTurns = true
        for poll in due where !isStopped {
            let (reading, named) = await read(poll)
            if reading == .heldBack { hasTurns = false }
            let outcome = poll.outcome(reading, named?.naming)
            do throws(StoreError) {
                if reading == .seen(.authorized) { try await announce(poll) }
                try await polls.conclude(poll, attempt: attempt, outcome.step)
                counters.count(poll.kind, outcome.word)
                note(poll, outcome.word)
                if let named { note(poll, named) }
            } catch {
                // Its lease brings it back; the others of the batch need not wait for that.
                notWritten(poll, error)
            }
        }
        return hasTurns && due.count == Poller.batch
    }

    /// Notifies the merchant of a charge that can soon not be captured any more, or not at once.
    private func announce(_ poll: DuePoll) async throws(StoreError) {
        guard poll.kind == .charge, PollSchedule.mayExpireSoon(age: poll.history.age) else { return }
        guard try await polls.announceExpiring(poll.id) else { return }
        logger.info("charge.expiring", fields(poll))
    }

    /// Reads an object and hands it to the ledger; what the ledger cannot take in counts as no answer, so that it comes again
    /// later and later instead of first for ever.
    ///
    /// - Returns: What the provider said; what became of the names of an order, where they were due.
    private func read(_ poll: DuePoll) async -> (PollReading, NamedPermission?) {
        let object: ObservedObject
        var named: NamedPermission?
        do throws(AmazonPayError) {
            if let naming = poll.naming {
                let permission = try await checkout.name(poll.id, of: poll.webviewSession, naming.reference)
                (object, named) = (permission.object, permission)
            } else {
                object = try await checkout.object(poll.kind, poll.id)
            }
        } catch {
            if error.isAboutNothing { return (.gone, nil) }
            logger.info("poll.unanswered", fields(poll) + [LogField("detail", error.debugDescription)])
            return (error.isHeldBack ? .heldBack : .failed, nil)
        }
        do throws(StoreError) {
            switch try await orders.observe(object) {
            case .changed, .same: return (.seen(object.version.state), named)
            // The ledger has had news meanwhile; what it holds is what the schedule goes by.
            case .older: return (.seen(poll.state ?? object.version.state), named)
            case .unknown: return (.gone, nil)
            }
        } catch {
            notWritten(poll, error)
            return (.failed, nil)
        }
    }

    private func notWritten(_ poll: DuePoll, _ error: StoreError) {
        logger.warning("poll.not_written", fields(poll) + [LogField("detail", error.debugDescription)])
    }

    private func note(_ poll: DuePoll, _ word: PollOutcome.Word) {
        switch word {
        case .same, .failed: break
        case .changed: logger.info("poll.changed", fields(poll))
        case .gone: logger.warning("poll.gone", fields(poll))
        case .ended: logger.error("poll.stale", fields(poll))
        }
    }

    /// One line for each order: its names are there, or are not sent any more.
    private func note(_ poll: DuePoll, _ named: NamedPermission) {
        let detail = [LogField("detail", named.detail)]
        switch named.naming {
        case .shown: logger.info("order.named", fields(poll))
        case .missing where poll.naming?.next(named.naming) != nil, .heldBack:
            logger.debug("order.naming", fields(poll) + detail)
        case .missing, .refused: logger.info("order.not_named", fields(poll) + detail)
        }
    }

    private func fields(_ poll: DuePoll) -> [LogField] {
        [
            LogField("webview_session", poll.webviewSession.description), LogField("object", poll.id),
            LogField("kind", poll.kind.rawValue),
            LogField("state", poll.state?.rawValue ?? ""),
        ]
    }
}
