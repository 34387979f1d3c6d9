import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON

// The developer's app on phones: who is signed in, what it asks its server, and how a phone changes hands.

extension DeviceCheckModel {
    private static let usualPurpose = "free-trial"

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
        state.devices[device.number - 1].app = nil
        if let owner = body?.value["owner"]?.text, !owner.isEmpty { state.devices[device.number - 1].owner = owner }
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
        var members: [JSONMember] = []
        switch order.step {
        case .claim, .check: members.append(JSONMember("purpose", .string(order.word ?? Self.usualPurpose)))
        }
        members.append(JSONMember("environment", .string(app.environment.rawValue)))
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
        guard state.devices.indices.contains(index), state.devices[index].app != nil else { return }
        let asked = order.step.rawValue + (order.word.map { " " + $0 } ?? "")
        guard let answer else {
            state.devices[index].app?.session?.note("\(asked): no answer")
            return
        }
        let json = (try? JSONParser.parse(answer.body)) ?? .null
        var words = [asked + ":", String(answer.status)]
        words += [json["decision"], json["reason"], json["code"]].compactMap { $0?.text }
        if json["isGranted"]?.flag == true { words.append("given") }
        state.devices[index].app?.session?.note(words.joined(separator: " "))
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
            "supported": .bool(device.isSupported), "app": device.app.map(json) ?? .null,
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
            "waiting": JSONValue(holds.filter { $0.device == number }.reduce(0) { $0 + $1.count }),
        ]
    }

    private func json(_ app: InstalledApp) -> JSONValue {
        [
            "environment": .string(app.environment.rawValue), "account": .string(app.account),
            "signedIn": .bool(app.session != nil),
            "answers": .array((app.session?.lines ?? []).map(JSONValue.string)), "answer": app.answer ?? .null,
        ]
    }
}
