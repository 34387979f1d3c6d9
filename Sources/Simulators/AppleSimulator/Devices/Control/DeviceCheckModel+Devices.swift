import Primitives
import SimulatorCore
import StrictJSON

// Devices, their tokens and their bits, for testers.

extension DeviceCheckModel {
    private static let deviceLimit = 10_000

    mutating func controlDevices(
        _ request: SimulatorRequest,
        _ path: [String]
    ) throws(ControlError) -> SimulatorAnswer? {
        switch (request.method, path.count) {
        case ("GET", 0): return .json(200, ["devices": .array(state.devices.map { json($0.number) })])
        case ("POST", 0):
            let device = try addDevice(request.body.isEmpty ? nil : ControlBody(request))
            return .json(200, json(device.number))
        case ("GET", 1): return .json(200, json(try device(path[0]).number))
        case (_, 2): return try control(try device(path[0]), request, path[1])
        default: return nil
        }
    }

    private mutating func control(
        _ device: SimulatedDevice,
        _ request: SimulatorRequest,
        _ word: String
    ) throws(ControlError) -> SimulatorAnswer? {
        let body = request.body.isEmpty ? nil : try ControlBody(request)
        switch (request.method, word) {
        case ("POST", "tokens"): return .json(200, try mintToken(of: device, body))
        case ("POST", "bits"):
            try setBits(of: device, body)
            return .json(200, json(device.number))
        case ("POST", "install"):
            try install(on: device, body)
            return .json(200, json(device.number))
        case ("POST", "uninstall"):
            state.devices[device.number - 1].app = nil
            return .json(200, json(device.number))
        case ("POST", "sign-in"):
            try signIn(on: device, body)
            return .json(200, json(device.number))
        case ("POST", "erase"):
            try erase(device, body)
            return .json(200, json(device.number))
        case ("POST", "risk"):
            try body?.check([.init("metric", .count)])
            state.devices[device.number - 1].riskMetric = body?.value["metric"]?.integer.map { min($0, 999_999_999) }
            return .json(200, json(device.number))
        case ("POST", "hold"):
            try hold(device, body)
            return .json(200, json(device.number))
        case ("POST", "proceed"):
            for index in holds.indices where holds[index].device == device.number { holds[index].open() }
            return .json(200, json(device.number))
        case ("POST", _): return try attest(device, word, body).map { .json(200, $0) }
        default: return nil
        }
    }

    /// A device by its number.
    func device(_ text: String) throws(ControlError) -> SimulatedDevice {
        guard let number = Int(text), number >= 1, number <= state.devices.count else {
            throw ControlError(404, "There is no such device.")
        }
        return state.devices[number - 1]
    }

    /// Makes a device.
    mutating func addDevice(_ body: ControlBody?) throws(ControlError) -> SimulatedDevice {
        try body?.check([.init("name", .text(60)), .init("owner", .text(60)), .init("supported", .flag)])
        guard state.devices.count < Self.deviceLimit else {
            throw ControlError(409, "There are \(Self.deviceLimit) devices.")
        }
        let number = state.devices.count + 1
        var device = SimulatedDevice(
            number: number,
            name: body?.value["name"]?.text ?? "Phone \(number)",
            owner: body?.value["owner"]?.text ?? "Owner \(number)"
        )
        device.isSupported = body?.value["supported"]?.flag ?? true
        state.devices.append(device)
        return device
    }

    // MARK: Tokens

    /// What an app gets that asks its device for a token.
    private mutating func mintToken(of device: SimulatedDevice, _ body: ControlBody?) throws(ControlError) -> JSONValue
    {
        try body?.check(Self.store + [.init("age", .text(40))])
        let (team, environment) = store(body)
        guard device.isSupported else { return ["supported": false] }
        var issued = now
        if let text = body?.value["age"]?.text {
            guard let age = ISO8601.duration(text) else { throw ControlError("age is not a duration like PT3M.") }
            issued = issued + (.zero - age)
        }
        let token = mintToken(of: device, team, environment, issuedAt: issued)
        return ["supported": true, "deviceToken": .string(token)]
    }

    /// A token of a device that has some.
    mutating func mintToken(
        of device: SimulatedDevice,
        _ team: String,
        _ environment: DeviceEnvironment,
        issuedAt time: WallTime
    ) -> String {
        let token = DeviceToken(device: device.number, team: team, environment: environment, issuedAt: time)
        return state.tokens.add(token, &mint)
    }

    /// Which store a call is about.
    private static let store: [Shape.Member] = [
        .init("environment", .oneOf(DeviceEnvironment.allCases.map(\.rawValue))), .init("teamId", .text(40)),
    ]

    private func store(_ body: ControlBody?) -> (team: String, environment: DeviceEnvironment) {
        let environment = body?.value["environment"]?.text.flatMap { DeviceEnvironment(rawValue: $0) }
        return (body?.value["teamId"]?.text ?? configuration.team, environment ?? .production)
    }

    // MARK: Bits

    /// Sets what the vendor has about a device, or has it forget, as no server can.
    private mutating func setBits(of device: SimulatedDevice, _ body: ControlBody?) throws(ControlError) {
        try body?.check(
            Self.store + [
                .init("bit0", .flag), .init("bit1", .flag), .init("last_update_time", .text(7)),
                .init("neverSet", .flag),
            ]
        )
        let (team, environment) = store(body)
        let key = TwoBitsKey(device: device.number, team: team.octets, environment: environment)
        guard body?.value["neverSet"]?.flag != true else {
            state.bits[key] = nil
            return
        }
        let month = body?.value["last_update_time"]?.text ?? Self.month(of: now)
        guard CalendarDate.time(of: month + "-01T00:00:00Z") != nil else {
            throw ControlError("last_update_time is not a month like 2026-11.")
        }
        state.bits[key] = TwoBits(
            bit0: body?.value["bit0"]?.flag ?? false,
            bit1: body?.value["bit1"]?.flag ?? false,
            month: month
        )
    }

    // MARK: Races

    private static let holdLimit = 100

    private mutating func hold(_ device: SimulatedDevice, _ body: ControlBody?) throws(ControlError) {
        try body?.check([
            .init("operation", .oneOf(DeviceCheckOperation.allCases.map(\.rawValue))), .init("requests", .count),
        ])
        let operation = body?.value["operation"]?.text.flatMap { DeviceCheckOperation(rawValue: $0) }
        let requests = body?.value["requests"]?.integer ?? 2
        guard (1...Self.holdLimit).contains(requests), holds.count < Self.holdLimit else {
            throw ControlError("requests is 1 to \(Self.holdLimit), and so many may wait.")
        }
        holds.append(
            RequestHold(
                operation ?? .updateTwoBits,
                of: device.number,
                requests: requests,
                deadline: realTime + RequestHold.longest
            )
        )
    }
}
