import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON

// What apps on devices do at the developer's server.

extension AppStoreModel {
    /// Signs an account in on a device.
    mutating func signIn(_ body: ControlBody) throws(ControlError) {
        try body.check([
            .init("customer", .text(60)), .init("environment", .oneOf(StoreEnvironment.allCases.map(\.rawValue))),
            .init("server", .url(2_048)), .init("token", .text(500), isRequired: true),
        ])
        var view = DeviceView()
        view.customer = body.value["customer"]?.text ?? view.customer
        view.environment = body.value["environment"]?.text.flatMap { .init(word: $0.octets) } ?? view.environment
        let given = body.value["server"]?.text ?? ""
        let server = given.isEmpty ? configuration.appServer : given
        let app = try DeviceApp(server: server, token: body.value["token"]?.text ?? "")
        guard state.apps[view.key] != nil || state.apps.count < Self.appLimit else {
            throw ControlError(409, "There are \(Self.appLimit) apps that are signed in already.")
        }
        state.apps[view.key] = app
    }

    private static let appLimit = 1_000

    /// The request that hands a purchase in.
    ///
    /// - Throws: 409 where nobody is signed in, or the purchase is not paid.
    mutating func submission(of id: String) throws(ControlError) -> OutboundRequest {
        let purchase = try purchase(id)
        guard purchase.isPaid else { throw ControlError(409, "The purchase is not paid.") }
        let view = DeviceView(of: purchase)
        guard let app = state.apps[view.key] else {
            throw ControlError(409, "No account is signed in on this device; POST device/app.")
        }
        var members = [JSONMember("signedTransaction", .string(try deviceText(of: purchase)))]
        if let customer = state.stores[view.environment]?.customer(named: view.customer) {
            members.append(JSONMember("deviceVerificationId", .string(customer.deviceID)))
        }
        return app.request("POST", "app-store/transactions", body: .object(members))
    }

    /// Takes in what the server answered: the app finishes the transaction where that says so, and never otherwise.
    mutating func takeAnswer(_ answer: InboundResponse?, of id: String) {
        guard let purchase = try? purchase(id) else { return }
        let key = DeviceView(of: purchase).key
        guard let answer else {
            state.apps[key]?.note("\(id): no answer")
            return
        }
        let json = (try? JSONParser.parse(answer.body)) ?? .null
        let word = json["outcome"]?.text ?? json["code"]?.text ?? json["title"]?.text ?? ""
        let finishes = json["finish"]?.flag ?? false
        state.apps[key]?.note("\(id): \(answer.status) \(word)" + (finishes ? ", finished" : ""))
        if let balance = json["balance"]?.integer { state.apps[key]?.balance = balance }
        if finishes { state.stores[purchase.environment]?.mark(id) { $0.isFinished = true } }
    }

    /// The request for what the account of a device has; `nil` where nobody is signed in.
    func balanceRequest(of view: DeviceView) -> OutboundRequest? {
        state.apps[view.key]?.request("GET", "app-store/balance?environment=" + view.environment.rawValue)
    }

    /// Takes in what the account has.
    mutating func takeBalance(_ answer: InboundResponse?, of view: DeviceView) {
        let json = answer.flatMap { try? JSONParser.parse($0.body) }
        guard answer?.status == 200, let units = json?["units"]?.integer else {
            let status = answer.map { String($0.status) } ?? "no answer"
            state.apps[view.key]?.note("balance: \(status)")
            return
        }
        state.apps[view.key]?.balance = units
    }
}
