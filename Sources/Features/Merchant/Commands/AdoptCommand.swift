import AmazonPay
import Checkout
import Commerce
import EventIO
import MerchantAPI
import MerchantOrders
import Operations
import Postgres
import Primitives
import ServerCore
import SessionBroker
import Settings
import StrictJSON

/// `sallyport adopt`: takes a payment into the ledger that the provider knows and the database does not.
enum AdoptCommand {
    static let command = FeatureCommand(
        of: MerchantFeature.self,
        "adopt",
        operands: "PERMISSION",
        "record a payment that the provider has and the ledger lacks",
        details: """
            For a payment that the provider has and this database has lost, after a restore or a failover.
            If the database still has the session, given up or ended unpaid, use `stuck SESSION --paid`.
            Reads the charge permission, the session in its customInformation (of a button's payload in its
            merchantReferenceId), and the charges, and prints one JSON line. Nothing is written without --fix,
            and nothing is paid, captured or refunded.
            A charge has to have the total of the order. If the order is lost entirely, compare `charges`
            with your own records; it gets the reference that the permission has, if --reference does not name
            another. The provider has no list of charges: name those that the checkout session does not
            contain with --charges; they are in the provider's console and messages.
            Exit status 0: the payment was read, and with --fix it is in the ledger; 1: it could not be read
            or added, a line has the reason; 2: wrong use or settings.
            """,
        options: [
            CommandOption("charges", "IDS", "charges of the permission, separated by commas"),
            CommandOption("reference", "TEXT", "the merchant's reference of an order that is lost entirely"),
            CommandOption("fix", nil, "write the payment into the ledger"),
        ] + OperatorTrail.options,
        run: { feature, input, context in
            let provider = try context.features.read(CheckoutFeature.self).provider(context)
            let wish = try AdoptionWish(input.arguments)
            let trail = try OperatorTrail(input)
            let task = AdoptTask(wish: wish, provider: provider, trail: trail, console: input.console)
            return try await context.connected { reactor, client in
                try await task.run(client, reactor)
            }
        }
    ).with(
        examples: [
            "sallyport adopt S03-1234567-1234567",
            "sallyport adopt S03-1234567-1234567 --fix",
        ]
    )
}

/// The payment that an operator takes in.
struct AdoptionWish: Sendable, Equatable {
    /// The permission.
    let permission: ChargePermissionID
    /// Charges of it that the operator knows.
    let charges: [ChargeID]
    /// The merchant's name for an order that is lost entirely.
    let reference: String?
    /// Whether it is written down.
    let isFix: Bool

    /// Reads a command line.
    ///
    /// - Parameter arguments: The permission is the only operand.
    /// - Throws: What is wrong with it.
    init(_ arguments: CommandLineArguments) throws(ConfigurationError) {
        guard arguments.operands.count == 1, let permission = ChargePermissionID(arguments.operands[0]) else {
            throw ConfigurationError(problems: ["adopt: name one charge permission, for example S03-1234567-1234567"])
        }
        var charges: [ChargeID] = []
        for text in arguments.values["charges"]?.split(separator: ",") ?? [] {
            guard let charge = ChargeID(String(text)), charge.permission == permission else {
                throw ConfigurationError(problems: ["adopt: \(text) is no charge of \(permission)"])
            }
            charges.append(charge)
        }
        do throws(TextRefusal) {
            reference = try arguments.values["reference"].map { (text) throws(TextRefusal) in
                try PrintableText.cleaned(text, length: 1...100)
            }
        } catch {
            throw ConfigurationError(problems: ["adopt: --reference: \(error.sentence)"])
        }
        self.permission = permission
        self.charges = charges
        isFix = arguments.flags.contains("fix")
    }
}

/// One adoption, and its report to people.
private struct AdoptTask: Sendable {
    let wish: AdoptionWish
    let provider: ProviderSetup
    let trail: OperatorTrail
    let console: Console

    /// Why a payment cannot be taken in.
    private struct Refusal: Error {
        let text: String
    }

    func run(_ client: PostgresClient, _ reactor: Reactor) async throws -> Int32 {
        let orders = PostgresOrderStore(client: client)
        do {
            let found = try await read(orders, reactor)
            let report = try await report(found, orders)
            console.print(report.description)
            let total = try total(found)
            guard wish.isFix else { return 0 }
            var decision = OperatorTrail.Decision(command: "adopt --fix", target: wish.permission.text)
            decision.before = report
            let outcome = try await trail.record(
                decision,
                client,
                { try await write(found, total, orders, reactor) },
                after: { ["outcome": .string($0.rawValue)] }
            )
            switch outcome {
            case .adopted, .known: return 0
            case .other: throw Refusal(text: "the order has another permission, account or currency")
            case .underWay:
                throw Refusal(text: "the session has not ended: a repeat of its purchase, recovery or `stuck` ends it")
            }
        } catch let refusal as Refusal {
            console.complain("sallyport: adopt: \(refusal.text)")
        } catch let error as AmazonPayError {
            console.complain("sallyport: adopt: the provider: \(error.debugDescription)")
        }
        return 1
    }

    /// What the provider has of a payment, and what the database has of its order.
    private struct Payment {
        let webviewSession: UUIDBytes
        let permission: ChargePermission
        let charges: [Charge]
        let order: MerchantOrder?

        /// The merchant's name for the order: as the database has it, or else the provider, where it is one that an order may
        /// have.
        var reference: String? {
            if let order { return order.reference }
            return permission.markedReference.flatMap { try? PrintableText.cleaned($0, length: 1...100) }
        }
    }

    private func read(_ orders: PostgresOrderStore, _ reactor: Reactor) async throws -> Payment {
        let checkout = provider.commandCheckout(on: reactor)
        let permission = try await checkout.client.permission(wish.permission, priority: .background)
        if let environment = permission.environment, environment != provider.credentials.environment {
            throw Refusal(text: "the permission belongs to the other environment")
        }
        guard let webviewSession = permission.markedSession else {
            throw Refusal(text: "its customInformation and merchantReferenceId name no session of this program")
        }
        let order = try await orders.read(webviewSession)
        var ids = wish.charges
        if let session = order?.checkoutSession.flatMap({ CheckoutSessionID($0) }) {
            let told = try await chargeID(of: session, checkout)
            if let told, told.permission == wish.permission { ids.append(told) }
        }
        for object in try await orders.objects(of: webviewSession) {
            if let charge = ChargeID(object.id), charge.permission == wish.permission { ids.append(charge) }
        }
        var charges: [Charge] = []
        for id in Set(ids).sorted(by: { $0.text < $1.text }) {
            charges.append(try await checkout.client.charge(id, priority: .background))
        }
        return Payment(webviewSession: webviewSession, permission: permission, charges: charges, order: order)
    }

    /// The charge that a checkout session names, as long as the provider has it.
    private func chargeID(of session: CheckoutSessionID, _ checkout: CheckoutService) async throws -> ChargeID? {
        do throws(AmazonPayError) {
            return try await checkout.client.session(session, priority: .background).chargeID.flatMap { ChargeID($0) }
        } catch {
            guard error.isAboutNothing else { throw error }
            return nil
        }
    }

    private func report(_ found: Payment, _ orders: PostgresOrderStore) async throws -> JSONValue {
        let charges = found.charges.map { charge in
            JSONValue.object([
                JSONMember("id", .string(charge.id.text)),
                JSONMember("state", .string(ObservedObject(charge).version.state.rawValue)),
                JSONMember("amount", JSONValue(optionalMoney: charge.amount?.money)),
                JSONMember("captured", JSONValue(optionalMoney: charge.captured?.money)),
                JSONMember("refunded", JSONValue(optionalMoney: charge.refunded?.money)),
            ])
        }
        let isKnown = try await orders.object(wish.permission.text) != nil
        return JSONValue.object([
            JSONMember("permission", .string(wish.permission.text)),
            JSONMember("session", .string(found.webviewSession.description)),
            JSONMember("reference", JSONValue(found.reference)),
            JSONMember("isInLedger", .bool(isKnown)),
            JSONMember("order", .string(found.order?.state.rawValue ?? "missing")),
            JSONMember("total", JSONValue(optionalMoney: found.order?.sums.total)),
            JSONMember("state", .string(ObservedObject(found.permission).version.state.rawValue)),
            JSONMember("charges", .array(charges)),
        ])
    }

    /// What was paid: by the charge that is over the total of the order, where the database has that.
    private func total(_ found: Payment) throws(Refusal) -> Money {
        let paid = found.charges.filter(\.isPaid).sorted { $0.id.text < $1.id.text }.compactMap { $0.amount?.money }
        guard let first = paid.first else {
            throw Refusal(text: "no charge is known that holds or has taken money: name it with --charges")
        }
        guard let total = found.order?.sums.total else { return first }
        guard paid.contains(total) else {
            throw Refusal(
                text: "no known charge has the total of the order as its amount: name one with --charges, or refund it"
            )
        }
        return total
    }

    private func write(
        _ found: Payment,
        _ total: Money,
        _ orders: PostgresOrderStore,
        _ reactor: Reactor
    ) async throws -> AdoptionOutcome {
        let adoption = Adoption(
            webviewSession: found.webviewSession,
            permission: wish.permission.text,
            total: total,
            account: provider.account,
            reference: wish.reference ?? found.reference ?? OrderNumber(found.webviewSession).description
        )
        let request = "adopt-" + Hex.encode(reactor.random.bytes(8))
        let outcome = try await orders.adopt(adoption, request: request)
        guard outcome == .adopted || outcome == .known else { return outcome }
        _ = try await orders.observe(ObservedObject(found.permission))
        for charge in found.charges { _ = try await orders.observe(ObservedObject(charge)) }
        return outcome
    }
}
