import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON

// The developer's app on phones: who is signed in, what it asks its server, and how a phone changes hands.

extension DeviceCheckModel {
    /// Puts the app on a phone.
    mutating func install(on device: SimulatedDevice, _ body: ControlBody?) throws(ControlError) {
        try body?.check([.init("environment", .oneOf(DeviceEnvironment.allCases.map(\.rawValue)))])
        let environment = body?.value["environment"]?.text.flatMap { DeviceEnvironment(rawValue: $0) }
        state.devices[device.number - 1].app = InstalledApp(environment: environment ?? .production)
    }

    /// Signs an account in.
    mutating func signIn(on device: SimulatedDevice, _ body: ControlBody?) throws(ControlError) {
        try body?.check([
            .init("account", .text(60)), .init("server", .url(2_048)), .init("token", .text(500), isRequired: true),
        ])
        guard device.app != nil else { throw ControlError(409, "The app is not installed on this device.") }
        let given = body?.value["server"]?.text ?? ""
        let session = try DeviceApp(
            server: given.isEmpty ? configuration.appServer : given,
            token: body?.value["token"]?.text ?? ""
        )
        state.devices[device.number - 1].app?.session = session
        state.devices[device.number - 1].app?.account = body?.value["account"]?.text ?? ""
    }

    /// Erases a phone, for somebody else where a name is given; what the vendor has about it stays.
    mutating func erase(_ device: SimulatedDevice, _ body: ControlBody?) throws(ControlError) {
        try body?.check([.init("owner", .text(60))])
        let owner = body?.value["owner"]?.text ?? ""
        state.devices[device.number - 1].app = nil
        state.devices[device.number - 1].note(owner.isEmpty ? "erased" : "erased, and given to " + owner)
        if !owner.isEmpty { state.devices[device.number - 1].owner = owner }
    }

    // MARK: Asking the server

    /// The request of an app, with a new token of its phone.
    ///
    /// - Throws: 409 where nobody is signed in.
    mutating func request(for order: PhoneOrder) throws(ControlError) -> OutboundRequest {
        let device = try device(String(order.device))
        guard let app = device.app, let session = app.session else {
            throw ControlError(409, "No account is signed in on this device; POST install, then sign-in.")
        }
        var members = [JSONMember("environment", .string(app.environment.rawValue))]
        if let name = order.step.member {
            members.append(JSONMember(name, .string(order.word ?? order.step.usualWord)))
        }
        if device.isSupported {
            let token = mintToken(of: device, configuration.team, app.environment, issuedAt: now)
            members.append(JSONMember("deviceToken", .string(token)))
        } else {
            members.append(JSONMember("unsupported", "not-supported"))
        }
        return session.request("POST", "devices/" + order.step.rawValue, body: .object(members))
    }

    /// Takes in what the server answered.
    mutating func takeAnswer(_ answer: InboundResponse?, to order: PhoneOrder) {
        let index = order.device - 1
        guard state.devices.indices.contains(index), let app = state.devices[index].app else { return }
        var words = app.account.isEmpty ? [] : [app.account + ":"]
        words.append(order.step.rawValue)
        // A code of support is nobody's business.
        if order.step != .reset, let word = order.word { words.append(word) }
        words.append("→")
        let json = answer.flatMap { try? JSONParser.parse($0.body) } ?? .null
        words.append(answer.map { String($0.status) } ?? "no answer")
        words += [json["decision"], json["reason"], json["code"], json["state"]].compactMap { $0?.text }
        if json["isGranted"]?.flag == true { words.append("given") }
        state.devices[index].note(words.joined(separator: " "))
        state.devices[index].app?.answer = json
    }

    // MARK: Showing

    /// What there is of a phone, what the vendor has about it, and who waits.
    func json(_ number: Int) -> JSONValue {
        let device = state.devices[number - 1]
        let records = state.bits.filter { $0.key.device == number }
            .sorted { ($0.key.team, $0.key.environment.rawValue) < ($1.key.team, $1.key.environment.rawValue) }
        return [
            "device": JSONValue(number), "name": .string(device.name), "owner": .string(device.owner),
            "supported": .bool(device.isSupported), "riskMetric": risk(of: device),
            "app": device.app.map(json) ?? .null,
            "records": .array(
                records.map { key, bits in
                    .object(
                        [
                            JSONMember("teamId", .string(key.team.string)),
                            JSONMember("environment", .string(key.environment.rawValue)),
                        ] + bits.json.members
                    )
                }
            ),
            "story": .array(device.story.map(JSONValue.string)),
            "waiting": JSONValue(holds.filter { $0.device == number }.reduce(0) { $0 + $1.count }),
        ]
    }

    /// What a receipt of now says of the device, by environment.
    private func risk(of device: SimulatedDevice) -> JSONValue {
        .object(
            DeviceEnvironment.allCases.compactMap { environment in
                device.risk(in: environment, at: now).map { JSONMember(environment.rawValue, JSONValue($0)) }
            }
        )
    }

    private func json(_ app: InstalledApp) -> JSONValue {
        [
            "environment": .string(app.environment.rawValue), "account": .string(app.account),
            "attestKeys": .array(app.keys.map { .string($0.name) }), "signedIn": .bool(app.session != nil),
            "answer": app.answer ?? .null,
        ]
    }
}
