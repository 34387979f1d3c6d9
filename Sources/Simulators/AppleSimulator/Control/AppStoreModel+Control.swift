import Cryptography
import HTTPCore
import Primitives
package import SimulatorCore
import StrictJSON

// Calls of the control interface that are of the store alone.

extension AppStoreModel: ControlledModel {
    package static let faultRules = FaultRules(
        operations: APIOperation.allCases.map(\.rawValue) + [revocationOperation],
        account: "environment"
    ) { reason in
        Int(reason).flatMap(APIFailure.status)
    }

    /// As configured, or the first address that it listens at.
    package var baseURL: String { configuration.baseURL }

    /// Whether there is no purchase and no request yet.
    package var isUntouched: Bool { calls.count == 0 && state.stores.values.allSatisfy { $0.purchases.isEmpty } }

    package mutating func ownControl(
        _ request: SimulatorRequest,
        _ path: [String]
    ) throws(ControlError) -> SimulatorAnswer? {
        switch (request.method, path.first ?? "", path.count) {
        case ("GET", "", 0): return .json(200, AppStoreModel.overview)
        case ("GET", "texts", 1): return .json(200, state.switches.json)
        case ("POST", "texts", 1):
            try state.switches.apply(ControlBody(request))
            return .json(200, state.switches.json)
        case (_, "authority", _): return try controlAuthority(request, Array(path.dropFirst()))
        case (_, "purchases", _): return try controlPurchases(request, Array(path.dropFirst()))
        case (_, "notifications", _): return try controlNotifications(request, Array(path.dropFirst()))
        case ("POST", "device", 2) where path[1] == "app":
            try signIn(ControlBody(request))
            return .json(200, ["status": "ok"])
        case ("GET", "device", 1): return .json(200, try device(request))
        default: return nil
        }
    }

    /// For whoever asks with a program at the address of the pages.
    private static let overview: JSONValue = [
        "pages": "Open this address in a browser for a device that buys.",
        "calls": [
            "/_sim/purchases", "/_sim/device", "/_sim/notifications", "/_sim/authority", "/_sim/texts", "/_sim/log",
            "/_sim/clock",
            "/_sim/faults", "/_sim/snapshot", "/_sim/health",
        ],
        "description": "docs/app-store-simulator.md",
    ]

    // MARK: Authority

    private mutating func controlAuthority(
        _ request: SimulatorRequest,
        _ path: [String]
    ) throws(ControlError) -> SimulatorAnswer? {
        switch (request.method, path.first ?? "", path.count) {
        case ("GET", "", 0): break
        case ("GET", "root.pem", 1):
            let type = ("content-type", "application/x-pem-file")
            return SimulatorAnswer(200, [type], body: configuration.root.certificatePEM)
        case ("GET", "root.der", 1):
            let root = try authorityForTester().signer.chain.last ?? []
            return SimulatorAnswer(200, [("content-type", "application/pkix-cert")], body: root)
        case ("POST", "ocsp", 1): try controlRevocation(ControlBody(request))
        case ("POST", "", 0):
            let body = try ControlBody(request)
            try body.check([.init("rotate", .oneOf(["leaf", "intermediate"]), isRequired: true)])
            let isIntermediate = body.value["rotate"]?.text?.octets == "intermediate"
            do throws(CryptographyError) { try rotate(intermediate: isIntermediate) } catch { throw .signing(error) }
        default: return nil
        }
        return .json(200, try authorityJSON())
    }

    private mutating func authorityForTester() throws(ControlError) -> AppStoreAuthority {
        do throws(CryptographyError) { return try authority() } catch { throw .signing(error) }
    }

    private mutating func authorityJSON() throws(ControlError) -> JSONValue {
        let chain = try authorityForTester().signer.chain
        let names = ["leaf", "intermediate", "root"]
        return .object(
            zip(names, chain).map { name, der in
                let serial = (try? X509Certificate(der))?.serialNumber ?? []
                return JSONMember(
                    name,
                    [
                        "serial": .string(Hex.encode(serial)),
                        "sha256": .string(Hex.encode(SHA256.digest(of: der).bytes)),
                    ]
                )
            } + [JSONMember("ocsp", state.revocation.json)]
        )
    }

    // MARK: Purchases

    private mutating func controlPurchases(
        _ request: SimulatorRequest,
        _ path: [String]
    ) throws(ControlError) -> SimulatorAnswer? {
        switch (request.method, path.count) {
        case ("GET", 0): return .json(200, ["purchases": .array(allPurchases.map(\.json))])
        case ("POST", 0):
            let purchase = try buy(PurchaseOrder(ControlBody(request)))
            return .json(200, try json(of: purchase))
        case ("GET", 1): return .json(200, try json(of: purchase(path[0])))
        case ("POST", 2):
            guard let step = PurchaseStep(rawValue: path[1]) else { return nil }
            try carryOut(step, path[0], request.body.isEmpty ? nil : ControlBody(request))
            return .json(200, try json(of: purchase(path[0])))
        default: return nil
        }
    }

    /// Of every store, the latest change last.
    var allPurchases: [Purchase] { StoreEnvironment.allCases.flatMap { state.stores[$0]?.purchases ?? [] } }

    /// A purchase with the text that the app gets of it.
    private mutating func json(of purchase: Purchase) throws(ControlError) -> JSONValue {
        guard purchase.isPaid, case .object(let members) = purchase.json else { return purchase.json }
        return .object(members + [JSONMember("signedTransaction", .string(try deviceText(of: purchase)))])
    }

    /// The text of a purchase as the app gets it.
    mutating func deviceText(of purchase: Purchase) throws(ControlError) -> String {
        do throws(CryptographyError) { return try text(of: purchase, device: true) } catch { throw .signing(error) }
    }

    /// What happens to a purchase.
    mutating func carryOut(_ step: PurchaseStep, _ id: String, _ body: ControlBody?) throws(ControlError) {
        let purchase = try purchase(id)
        try body?.check(step.members)
        let value = body?.value ?? .object([])
        switch step {
        case .approve: try decide(purchase, isApproved: true)
        case .reject: try decide(purchase, isApproved: false)
        case .refund:
            let percentage = value["percentage"]?.integer ?? 100_000
            guard (1...100_000).contains(percentage) else { throw ControlError("percentage is 1 to 100000.") }
            let reason = value["reason"]?.integer ?? 0
            guard (0...1).contains(reason) else { throw ControlError("reason is 0 or 1.") }
            try revoke(purchase, percentage < 100_000 ? .prorated : .full, percentage: percentage, reason: reason)
        case .revoke: try revoke(purchase, .family, percentage: 100_000, reason: 0)
        case .reverseRefund: try reverseRefund(purchase)
        case .declineRefund: try declineRefund(purchase)
        case .requestConsumption:
            try requestConsumption(purchase, reason: value["reason"]?.text ?? "UNINTENDED_PURCHASE")
        case .finish:
            guard purchase.isPaid else { throw ControlError(409, "The purchase is not paid.") }
            state.stores[purchase.environment]?.mark(id) { $0.isFinished = true }
        case .token:
            let text = value["appAccountToken"]?.text ?? ""
            let token = text.isEmpty ? nil : try PurchaseOrder.token(text)
            state.stores[purchase.environment]?.update(id) { purchase, _ in purchase.token = token }
        case .renew: try renew(purchase)
        case .expire: try expire(purchase)
        }
    }

    // MARK: Device

    private func app(of customer: StoreCustomer, _ environment: StoreEnvironment) -> DeviceApp? {
        var view = DeviceView()
        (view.customer, view.environment) = (customer.name, environment)
        return state.apps[view.key]
    }

    /// What the app sees on the device of a customer.
    private mutating func device(_ request: SimulatorRequest) throws(ControlError) -> JSONValue {
        let bytes = Array(request.query.utf8)
        let query = try? HTTPParameters(bytes.span)
        let name = (try? query?.value("customer")) ?? "customer-1"
        let word = (try? query?.value("environment")) ?? StoreEnvironment.sandbox.rawValue
        guard let environment = StoreEnvironment(word: word.octets) else {
            throw ControlError("environment is Production, Sandbox or Xcode.")
        }
        guard let customer = state.stores[environment]?.customer(named: name) else {
            throw ControlError(404, "There is no such customer in \(environment.rawValue).")
        }
        var unfinished: [JSONValue] = []
        for purchase in state.stores[environment]?.paid(by: customer) ?? [] where !purchase.isFinished {
            unfinished.append([
                "transactionId": .string(purchase.id), "productId": .string(purchase.product),
                "signedTransaction": .string(try deviceText(of: purchase)),
            ])
        }
        let own: String
        do throws(CryptographyError) {
            own = try appTransaction(of: customer, in: environment, device: true)
        } catch { throw .signing(error) }
        return [
            "customer": .string(customer.name), "environment": .string(environment.rawValue),
            "deviceVerificationId": .string(customer.deviceID), "signedAppTransaction": .string(own),
            "unfinished": .array(unfinished), "signedIn": .bool(app(of: customer, environment) != nil),
            "balance": app(of: customer, environment)?.balance.map { JSONValue($0) } ?? .null,
            "answers": .array((app(of: customer, environment)?.lines ?? []).map(JSONValue.string)),
        ]
    }
}

extension ControlError {
    /// OpenSSL refuses to sign.
    static func signing(_ error: CryptographyError) -> ControlError {
        ControlError(500, "The text cannot be signed: \(error.detail).")
    }
}
