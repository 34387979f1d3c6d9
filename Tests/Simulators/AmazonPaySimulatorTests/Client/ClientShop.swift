import AmazonPay
import AmazonPaySimulator
import Commerce
import HTTPCore
import Primitives
import StrictJSON
import Testing

/// Carries requests to the simulator, names a simulation code to it, and keeps what went out.
///
/// The code is put on after the request is signed, as one of the vendor's plugins does.
final class SteeredExchange: HTTPExchange {
    private let exchange: any HTTPExchange
    /// Goes with the next call that is no reading.
    var simulation: String?
    private(set) var sent: [OutboundRequest] = []

    init(_ exchange: any HTTPExchange) {
        self.exchange = exchange
    }

    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        var request = request
        if let simulation, request.method != "GET" {
            request.fields.append(("x-amz-pay-simulation-code", simulation))
            self.simulation = nil
        }
        sent.append(request)
        do {
            return try await exchange.send(request)
        } catch  where error.code == .connectFailed {
            // Given up before a byte was on the wire.
            sent.removeLast()
            throw error
        }
    }

    func forget() {
        sent = []
    }
}

/// A merchant with the broker's own client and a buyer, against a simulator on a socket that checks every signature.
final class ClientShop {
    static let yen = Money(Yen(10_000))

    let bench: WireBench
    let wire: SteeredExchange
    let client: CheckoutClient
    private let account: Merchant
    private let credentials: Credentials
    private var steps: UInt64 = 0

    init(_ bench: WireBench, of account: Merchant = Bench.merchant, algorithm: SigningAlgorithm = .pssV2) throws {
        self.bench = bench
        self.account = account
        credentials = try WireBench.credentials(of: account, algorithm)
        wire = SteeredExchange(bench.curl)
        client = try WireBench.client(credentials, bench.origin, bench.reactor, through: wire)
    }

    func key() -> IdempotencyKey {
        steps += 1
        return IdempotencyKey.derive(webviewSession: UUIDBytes(high: 7, low: steps), attempt: 1, step: "row")
    }

    // MARK: The tester

    func advance(_ duration: String) async throws {
        try await bench.control("POST", "clock", ["advance": .string(duration)])
    }

    func force(_ object: String, _ state: String, _ reason: String? = nil) async throws {
        let body: JSONValue = ["state": .string(state), "reasonCode": JSONValue(reason)]
        let answer = try await bench.control("POST", object + "/state", body)
        #expect(answer["error"] == nil, "\(answer)")
    }

    /// What the ledger of the simulator says of one operation.
    func calls(_ operation: String) async throws -> [JSONValue] {
        let log = try await bench.control("GET", "log")
        return (log["entries"]?.elements ?? []).filter { $0["operation"]?.text == operation }
    }

    /// How often calls of one operation have taken effect.
    func effects(_ operation: String) async throws -> Int {
        try await calls(operation).count { $0["effective"]?.flag == true }
    }

    // MARK: The buyer

    /// Goes from a signed button to where the buyer leaves the hosted pages.
    func start(
        _ button: ButtonSignature,
        product: String = "PayAndShip",
        card: String = "card-1111"
    ) async throws -> String {
        try await bench.control("POST", "next-buyer", ["cardId": .string(card)])
        let form = Bench.startForm(changing: [
            "payloadJSON": button.payloadJSON, "signature": button.signature, "algorithm": button.algorithm.label,
            "publicKeyId": button.publicKeyID, "productType": product, "merchantId": account.id,
            "ledgerCurrency": account.ledgerCurrency,
        ])
        return try await bench.follow("POST", "/checkout/start", body: Bench.encoded(form))
    }

    func sign(_ payload: CheckoutPayload) async throws -> ButtonSignature {
        try await ButtonSigner(credentials).sign(payload) { work in work() }
    }

    /// A button that only signs in.
    func sign(octets: [UInt8]) async throws -> ButtonSignature {
        try await ButtonSigner(credentials).sign(octets: octets) { work in work() }
    }

    /// A session whose buyer is back at the review page.
    func reviewed(card: String = "card-1111") async throws -> CheckoutSessionID {
        let payload = CheckoutPayload(
            reviewURL: Bench.review,
            cancelURL: Bench.cancel,
            storeID: credentials.storeID
        )
        let end = try await start(try await sign(payload), card: card)
        return try #require(CheckoutSessionID(Bench.sessionID(in: end)), "\(end)")
    }

    func place(_ id: CheckoutSessionID, _ payment: PaymentDetails = PaymentDetails(amount: yen)) async throws {
        let update = CheckoutUpdate(resultURL: Bench.result, payment: payment, metadata: MerchantMetadata())
        let placed = try await client.update(id, update)
        #expect(placed.redirectURL?.hasPrefix(bench.origin + "/checkout/processing?") == true)
    }

    func process(_ id: CheckoutSessionID) async throws {
        try await bench.control("POST", "next-buyer", .object([]))
        _ = try await bench.follow("GET", "/checkout/processing?amazonCheckoutSessionId=" + id.text)
    }

    /// A session whose buyer has been through the processing page.
    func held(
        card: String = "card-1111",
        _ payment: PaymentDetails = PaymentDetails(amount: yen)
    ) async throws -> CheckoutSessionID {
        let id = try await reviewed(card: card)
        try await place(id, payment)
        try await process(id)
        return id
    }

    // MARK: The merchant

    func complete(
        _ id: CheckoutSessionID,
        _ amount: Money = yen,
        simulation: String? = nil
    ) async -> CompleteOutcome {
        wire.simulation = simulation
        return await client.complete(.init(session: id, money: amount, key: key()))
    }

    /// What comes of paying, in one word; a `+` where the charge or refund is known.
    func pay(_ call: PayingCall, simulation: String? = nil) async -> String {
        wire.simulation = simulation
        guard call.operation != .createRefund else {
            let outcome: PayingOutcome<Refund> = await client.pay(call)
            return outcome.name
        }
        let outcome: PayingOutcome<Charge> = await client.pay(call)
        return outcome.name
    }

    func capture(_ charge: ChargeID, _ yen: UInt32 = 10_000) async -> String {
        await pay(.capture(charge, Money(Yen(yen)), key: key()))
    }

    func refund(_ charge: ChargeID, _ yen: UInt32 = 10_000) async -> String {
        await pay(.refund(charge, Money(Yen(yen)), key: key()))
    }

    func cancel(_ charge: ChargeID) async -> String {
        await word { () async throws(AmazonPayError) in
            "\(try await client.cancel(charge, reason: "no stock").state)"
        }
    }

    /// Charges a permission.
    func charge(
        _ permission: ChargePermissionID,
        _ yen: UInt32,
        simulation: String? = nil,
        now: Bool = false
    ) async -> PayingOutcome<Charge> {
        wire.simulation = simulation
        return await client.pay(creation(permission, yen, now: now))
    }

    func creation(_ permission: ChargePermissionID, _ yen: UInt32, now: Bool = false) -> PayingCall {
        var creation = ChargeCreation(permission, Money(Yen(yen)))
        creation.capturesNow = now
        return .create(creation, key: key())
    }

    /// What a call says, or why it fails.
    func word(_ call: () async throws(AmazonPayError) -> String) async -> String {
        do throws(AmazonPayError) {
            return try await call()
        } catch {
            return "\(error)"
        }
    }

    // MARK: Objects in a state

    /// A permission without a limit and without a charge.
    func confirmed() async throws -> ChargePermissionID {
        let id = try await held(PaymentDetails(.confirm, amount: nil))
        let session = try #require(await complete(id).session)
        return try #require(ChargePermissionID(session.chargePermissionID ?? ""))
    }

    /// A charge in a state; captured ones have all of their money.
    func charge(in state: Charge.State) async throws -> ChargeID {
        var payment = PaymentDetails(amount: ClientShop.yen)
        payment.canHandlePendingAuthorization = state == .authorizationInitiated
        let card = state == .authorizationInitiated ? "card-0701" : "card-1111"
        let session = try #require(await complete(try await held(card: card, payment)).session)
        let id = try #require(ChargeID(session.chargeID ?? ""))
        switch state {
        case .captureInitiated:
            try await advance("P8D")
            #expect(await capture(id) == "pending")
        case .captured: #expect(await capture(id) == "done")
        case .canceled: #expect(await cancel(id) == "canceled")
        case .declined: try await force("charges/" + id.text, "Declined", "HardDeclined")
        case .authorizationInitiated, .authorized, .unknown: break
        }
        let charge = try await client.charge(id)
        #expect(charge.state == state)
        return id
    }
}

extension CompleteOutcome {
    /// For comparison.
    var name: String {
        switch self {
        case .completed: "completed"
        case .pending: "pending"
        case .alreadyCompleted: "completed before"
        case .notReady: "not ready"
        case .declined(let reason): "declined \(reason)"
        case .canceled(let reason): "cancelled \(reason?.rawValue ?? "-")"
        case .amountMismatch: "amount mismatch"
        case .completedOtherwise: "completed otherwise"
        case .notSent: "not sent"
        case .unknown(let error): "unknown \(error.reason?.rawValue ?? "-")"
        case .rejected(let error): "rejected \(error.reason?.rawValue ?? "-")"
        }
    }

    var session: CheckoutSession? {
        switch self {
        case .completed(let session), .pending(let session), .alreadyCompleted(let session): session
        default: nil
        }
    }
}

extension PayingOutcome {
    /// For comparison; a `+` where the object is known of a refusal.
    var name: String {
        switch self {
        case .done: "done"
        case .pending: "pending"
        case .refused(let error, let object):
            "refused \(error.reason?.rawValue ?? "-")\(object == nil ? "" : " +")"
        case .notSent: "not sent"
        case .unknown(let error): "unknown \(error.reason?.rawValue ?? "-")"
        }
    }

    var object: Object? {
        switch self {
        case .done(let object), .pending(let object): object
        case .refused(_, let object): object
        case .notSent, .unknown: nil
        }
    }

    var error: AmazonPayError? {
        switch self {
        case .refused(let error, _), .notSent(let error), .unknown(let error): error
        case .done, .pending: nil
        }
    }
}

/// One row of a table of the vendor's rules, as the broker's own client lives through it.
struct ClientRow: Sendable, CustomTestStringConvertible {
    let name: String
    let run: @Sendable (ClientShop) async throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (ClientShop) async throws -> Void) {
        self.name = name
        self.run = run
    }

    var testDescription: String { name }
}
