import Foundation

/// One checkout of an app: out to the secure tab, and back exactly once.
///
/// Whatever it does is written down first, so that a new object over the same store goes on where the app has died.
public actor Checkout {
    /// Who completes the purchase.
    public enum Completion: Sendable {
        /// The cart page in the app's web view.
        case page(any CartPage)
        /// The shop's server.
        case server(any MerchantServer)
    }

    /// How often it asks by itself before it leaves that to ``resume()``.
    private static let automaticChecks = 10
    private static let longestPause: TimeInterval = 30

    /// Where it stands.
    public private(set) var state = CheckoutState.idle
    private let configuration: CheckoutConfiguration
    private let completion: Completion
    private let store: any CheckoutStore
    private let now: @Sendable () -> Date
    private let pause: @Sendable (TimeInterval) async throws -> Void
    private var observers: [AsyncStream<CheckoutState>.Continuation] = []
    /// The newest redemption goes on; an older one no longer changes anything.
    private var turn = 0
    /// Whether a listener has the address of `opening`: opened by a second one, too, it would end the checkout.
    private var isLaunchTold = false
    /// Whether `failed` is that of a `begin` that was refused for good.
    private var isRefused = false

    /// A checkout, with what its store knows.
    ///
    /// - Parameters:
    ///   - pause: Waits so many seconds.
    public init(
        _ configuration: CheckoutConfiguration,
        completion: Completion,
        store: any CheckoutStore,
        now: @escaping @Sendable () -> Date = { Date() },
        pause: @escaping @Sendable (TimeInterval) async throws -> Void = {
            try await Task.sleep(nanoseconds: UInt64(max($0, 0) * 1e9))
        }
    ) {
        self.configuration = configuration
        self.completion = completion
        self.store = store
        self.now = now
        self.pause = pause
    }

    /// Each state from now on, the present one first; in place of an `opening` that somebody has been told, `inTab`.
    public func states() -> AsyncStream<CheckoutState> {
        let (stream, continuation) = AsyncStream.makeStream(of: CheckoutState.self, bufferingPolicy: .unbounded)
        observers.append(continuation)
        if case .opening = state, isLaunchTold { continuation.yield(.inTab) } else { continuation.yield(state) }
        isLaunchTold = true
        return stream
    }

    @discardableResult
    private func become(_ state: CheckoutState) -> CheckoutState {
        self.state = state
        observers.removeAll { observer in
            if case .terminated = observer.yield(state) { true } else { false }
        }
        isLaunchTold = !observers.isEmpty
        isRefused = false
        return state
    }

    // MARK: Out

    /// Takes a ticket that the cart page has handed over by its bridge.
    ///
    /// - Returns: What the tab is opened with, as ``CheckoutState/opening(_:)`` has it, too. The checkout before is over.
    /// - Throws: Where the store cannot keep it: the tab must not be opened then.
    @discardableResult
    public func open(_ ticket: LaunchTicket) throws -> Launch {
        try depart(Launch(configuration.launchURL(ticket), ticket))
    }

    /// Has the shop's server open a session for quantities by the shop's own ids.
    ///
    /// The same as ``begin(order:key:)`` with an order whose only member is `items`.
    @discardableResult
    public func begin(_ items: [String: Int], key: String) async throws -> Launch {
        try await begin(order: ["items": items], key: key)
    }

    /// Has the shop's server open a session.
    ///
    /// - Parameters:
    ///   - order: Becomes an object of JSON, of the form that the shop's server knows; the library adds its member `client`.
    ///   - key: Names this try to buy: after an error it is the same again, for a buyer who starts over a new one.
    /// - Returns: What the tab is opened with, as ``CheckoutState/opening(_:)`` has it, too. The checkout before is over.
    /// - Throws: ``CheckoutError``, what the transport or the store throws. `CancellationError` where ``cancel()``, another
    ///   `begin` or a link has overtaken it: that is no failure, and ``state`` has the present state.
    @discardableResult
    public func begin(order: some Encodable & Sendable, key: String) async throws -> Launch {
        guard case .server(let server) = completion else { throw CheckoutError("the cart page begins this checkout") }
        // A second order beside a payment that may have been made would charge the buyer twice. A record that cannot be read
        // is replaced.
        guard (try? store.load())?.phase != .received else {
            throw CheckoutError("a payment is under way; resume() tells how it ends")
        }
        turn += 1
        let mine = turn
        become(.starting)
        do {
            let url = try await server.begin(order: order, client: configuration.client, key: key)
            guard mine == turn else { throw CancellationError() }
            return try depart(try launch(url))
        } catch {
            guard mine == turn else { throw CancellationError() }
            become(.failed(error))
            isRefused = (error as? CheckoutError).map { $0.isFinal && !$0.mayBePaid } ?? false
            throw error
        }
    }

    private func launch(_ url: URL) throws -> Launch {
        let ticket = LaunchTicket(launchURL: url)
        guard let ticket, url.absoluteString == configuration.launchURL(ticket).absoluteString else {
            throw CheckoutError("the address for the tab is not one of this shop's")
        }
        return Launch(url, ticket)
    }

    private func depart(_ launch: Launch) throws -> Launch {
        try store.save(CheckoutRecord(ticket: launch.ticket.text, startedAt: now()))
        turn += 1
        become(.opening(launch))
        return launch
    }

    // MARK: Back

    /// Takes the link that has opened the app, and completes the purchase, exactly once.
    ///
    /// - Returns: How it ended, or ``CheckoutState/pending``, ``CheckoutState/failed(_:)``, after which ``resume()`` goes on.
    /// - Throws: ``ReturnLinkRefusal``; a checkout under way is as it was. Or what the store throws.
    @discardableResult
    public func receive(_ text: String) async throws -> CheckoutState {
        let link = try ReturnLink(text, configuration: configuration)
        guard var record = try store.load() else { throw ReturnLinkRefusal.noCheckout }
        guard Token.areEqual(record.ticket, link.launchTicket.text) else { throw ReturnLinkRefusal.otherCheckout }
        guard !record.isReceived(link) else { throw ReturnLinkRefusal.replayed }
        guard record.phase != .over else { throw ReturnLinkRefusal.noCheckout }
        // Of a tab that has gone on after a decline. What is being decided goes first: the link can be tapped again.
        guard record.phase == .inTab || !isDeciding else { throw ReturnLinkRefusal.otherCheckout }
        guard !isLate(record) else { throw ReturnLinkRefusal.late }
        record.phase = .received
        record.returnTicket = link.returnTicket
        record.accessToken = link.accessToken
        record.orderReferenceID = link.orderReferenceID
        // Nothing has been awaited since the record was read, so of two deliveries of one link the second finds this.
        try store.save(record)
        return await redeem(link)
    }

    /// Goes on after the app has died, or after an error: asks again what is under way, which never pays twice.
    ///
    /// - Returns: How it stands; while a `begin` waits for its server, just that.
    /// - Throws: What the store throws; a record that cannot be read is of no use, and what it held may be paid.
    @discardableResult
    public func resume() async throws -> CheckoutState {
        guard state != .starting else { return state }
        guard let record = try store.load(), record.phase != .over else { return isRefused ? become(.idle) : state }
        if record.phase == .received {
            guard let link = record.link(configuration) else {
                throw CheckoutError("the record of the checkout is damaged")
            }
            return await redeem(link)
        }
        guard let ticket = LaunchTicket(record.ticket) else {
            throw CheckoutError("the record of the checkout is damaged")
        }
        waitForReturn()
        guard case .server(let server) = completion else {
            return isLate(record) ? try end(.ended(.over)) : state
        }
        return await follow { try await server.current(ticket) }
    }

    /// Gives up what can be given up: a tab, a ``begin(order:key:)`` that waits, or the failure of one.
    ///
    /// The server's session ends by itself, without a charge. After a link was received it does nothing: the payment may be
    /// under way.
    ///
    /// - Throws: What the store throws.
    public func cancel() throws {
        if var record = try store.load(), record.phase != .over {
            guard record.phase == .inTab else { return }
            record.phase = .over
            try store.save(record)
        } else if case .failed = state {
            // Of a `begin`: no checkout is there that could have failed.
            become(.idle)
            return
        } else if state != .starting {
            return
        }
        turn += 1
        become(.ended(.canceled))
    }

    /// Takes in where the web view has gone: the receipt of the page means that the purchase is done.
    ///
    /// - Throws: What the store throws.
    public func pageArrived(at url: URL) throws {
        guard case .page = completion, let parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            parts.path == "/thanks", url.absoluteString.hasPrefix(configuration.webOrigin.absoluteString + "/"),
            try store.load()?.phase == .received
        else { return }
        turn += 1
        // Written down: the link is not handed in again when the app starts anew.
        _ = try end(.paid(Receipt(reference: nil, total: nil)))
    }

    private var isDeciding: Bool { state == .completing || state == .pending }

    /// A clock that was set back by more than a minute says nothing of the time that has passed.
    private func isLate(_ record: CheckoutRecord) -> Bool {
        let age = now().timeIntervalSince(record.startedAt)
        return age < -60 || age > configuration.returnDeadline
    }

    /// Waits for a link, and says so unless it has said more already: an address for the tab is reported once.
    @discardableResult
    private func waitForReturn() -> CheckoutState {
        switch state {
        case .inTab, .declined: state
        default: become(.inTab)
        }
    }

    private func redeem(_ link: ReturnLink) async -> CheckoutState {
        let completion = completion
        become(.completing)
        return await follow {
            switch completion {
            case .page(let page): try await page.purchase(link)
            case .server(let server): try await server.redeem(link)
            }
        }
    }

    private func follow(_ ask: @Sendable () async throws -> Redemption) async -> CheckoutState {
        turn += 1
        let mine = turn
        do {
            for _ in 0..<Checkout.automaticChecks {
                let answer = try await ask()
                guard mine == turn else { return state }
                guard case .pending(let seconds) = answer else { return try settle(answer) }
                become(.pending)
                try await pause(min(max(seconds, 1), Checkout.longestPause))
                guard mine == turn else { return state }
            }
            return state
        } catch {
            return mine == turn ? become(.failed(error)) : state
        }
    }

    private func settle(_ answer: Redemption) throws -> CheckoutState {
        switch answer {
        case .paid(let receipt): return try end(.paid(receipt))
        case .ended(let reason): return try end(.ended(reason))
        case .again(let url): return .opening(try depart(try launch(url)))
        case .handedToPage: return become(.handedToPage)
        case .declined:
            // The tab is still there: another card brings another link.
            try change { $0.phase = .inTab }
            return become(.declined)
        case .nothing: return try end(.ended(.over))
        case .open: return waitForReturn()
        case .pending: return state
        }
    }

    private func end(_ state: CheckoutState) throws -> CheckoutState {
        try change { $0.phase = .over }
        return become(state)
    }

    private func change(_ edit: (inout CheckoutRecord) -> Void) throws {
        guard var record = try store.load() else { return }
        edit(&record)
        try store.save(record)
    }
}
