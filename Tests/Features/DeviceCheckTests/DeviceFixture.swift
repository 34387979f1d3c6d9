import Accounts
import Cryptography
import DeviceAttestation
import EventIO
import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import TestKit
import Web
import Webhooks

@testable import DeviceCheck

/// Apple's service as a list of devices, which makes tokens and does what tests want to go wrong.
///
/// Lives on one loop.
final class ScriptedDevices: DeviceService {
    /// What goes wrong with a call.
    enum Fault {
        /// It is answered so, and nothing is done.
        case answer(DeviceCheckAnswer, attempts: Int)
        /// It is done, and nobody is told.
        case lost
    }

    /// Where a call is held up.
    struct Stop: Equatable {
        let call: DeviceCheckCall
        let isBehind: Bool
    }

    /// What Apple knows of each device.
    private(set) var records: [DeviceRecord]
    /// The month that changes are stamped with.
    var month = DeviceMonth(SystemClock().now())
    /// What goes wrong with the next call of a kind.
    var faults: [DeviceCheckCall: Fault] = [:]
    /// The next call here is held up until it is let go.
    var stop: Stop?
    private(set) var isHeld = false
    /// Calls that were made, in order.
    private(set) var calls: [DeviceCheckRequest] = []
    private var tokens: [OctetText: Int] = [:]
    private let reactor: Reactor

    init(_ count: Int, on reactor: Reactor) {
        records = Array(repeating: .neverSet, count: count)
        self.reactor = reactor
    }

    /// A fresh token of a device.
    func token(of device: Int) -> String {
        let number = UInt32(tokens.count)
        let text = Base64.encode(
            [UInt8](repeating: UInt8(device), count: 116)
                + (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        )
        tokens[text.octets] = device
        return text
    }

    func set(_ state: DeviceState, on device: Int, month: DeviceMonth? = nil) {
        guard let write = DeviceMeaning.usual.write(exactly: state, over: records[device]) else { return }
        records[device] = .bits(write.bits, lastUpdate: month ?? self.month)
    }

    func state(of device: Int) -> DeviceState { DeviceMeaning.usual.state(of: records[device]) }

    /// Makes it a device that Apple knows nothing of.
    func forget(_ device: Int) { records[device] = .neverSet }

    func release() { isHeld = false }

    func ask(
        _ request: DeviceCheckRequest,
        about token: DeviceToken,
        in environment: DeviceEnvironment
    ) async -> DeviceServiceReply {
        calls.append(request)
        await pause(Stop(call: request.call, isBehind: false))
        let fault = faults.removeValue(forKey: request.call)
        if case .answer(let answer, let attempts) = fault { return reply(answer, attempts: attempts) }
        guard let device = tokens[token.reveal().octets] else { return reply(.badDeviceToken) }
        let answer = answer(request, device)
        await pause(Stop(call: request.call, isBehind: true))
        if case .lost = fault { return reply(.unavailable) }
        return reply(answer)
    }

    private func answer(_ request: DeviceCheckRequest, _ device: Int) -> DeviceCheckAnswer {
        switch request {
        case .query: return .record(records[device])
        case .update(let bits):
            records[device] = .bits(bits, lastUpdate: month)
            return .ok
        case .validate: return .ok
        }
    }

    private func pause(_ place: Stop) async {
        guard stop == place else { return }
        stop = nil
        isHeld = true
        _ = await waitUntil(reactor) { !self.isHeld }
    }

    private func reply(_ answer: DeviceCheckAnswer, attempts: Int = 1) -> DeviceServiceReply {
        DeviceServiceReply(
            answer: answer,
            transactionID: UUIDBytes(version4: reactor.random),
            attempts: attempts,
            latency: .milliseconds(20),
            correlation: [("x-apple-request-uuid", "a")]
        )
    }
}

/// Devices and accounts on one loop and a database, with a scripted Apple.
struct DeviceFixture {
    let program: StoredProgram
    let part: DeviceCheckPart
    let apple: ScriptedDevices

    var admin: PostgresAdmin { program.admin }

    /// An account by a small number.
    static func account(_ number: Int) -> UUIDBytes {
        UUIDBytes(high: 0x0190_0000_0000_7000, low: 1 << 63 | UInt64(number))
    }

    func open(_ accounts: [UUIDBytes]) throws {
        for account in accounts {
            try admin.run(
                "INSERT INTO account (account_id, created_at, external_id) VALUES ('\(account)', now(), '\(account)')"
            )
        }
    }

    func question(
        _ account: UUIDBytes,
        _ token: String?,
        in environment: DeviceEnvironment = .production,
        checkID: UUIDBytes? = nil
    ) throws -> DeviceQuestion {
        let bypass = part.process.settings.bypass
        return DeviceQuestion(
            account: account,
            proof: try .init(
                token: token,
                unsupported: token == nil ? "simulator" : nil,
                bypass: bypass,
                isNeeded: true
            ),
            environment: environment,
            checkID: checkID,
            now: SystemClock().now()
        )
    }

    /// Claims for a device; the answer, or an object with the code of the refusal.
    func claim(
        _ account: UUIDBytes,
        _ token: String?,
        _ purpose: String = "free-trial",
        checkID: UUIDBytes? = nil
    ) async -> JSONValue {
        await answer { try await part.claim(try question(account, token, checkID: checkID), for: purpose) }
    }

    func claim(_ account: UUIDBytes, device: Int, _ purpose: String = "free-trial") async -> JSONValue {
        await claim(account, apple.token(of: device), purpose)
    }

    func check(
        _ account: UUIDBytes,
        _ token: String?,
        _ purpose: String = "free-trial",
        in environment: DeviceEnvironment = .production
    ) async -> JSONValue {
        await answer { try await part.check(try question(account, token, in: environment), for: purpose) }
    }

    func mark(_ account: UUIDBytes, _ token: String?, _ event: String, checkID: UUIDBytes? = nil) async -> JSONValue {
        await answer { try await part.mark(try question(account, token, checkID: checkID), as: event) }
    }

    func answer(_ body: () async throws -> JSONValue) async -> JSONValue {
        do {
            return try await body()
        } catch {
            let failure = Failure(error)
            return ["code": .string(failure.code.name), "detail": .string(failure.detail)]
        }
    }

    /// Lets the requests that talk to Apple count as dead.
    func expireLeases() throws { try admin.run("UPDATE device_account SET busy_until = now() - interval '1 second'") }

    func value(_ sql: String) throws -> String? { try admin.rows(sql).first?.first.flatMap(\.self) }
}

/// For all tests of devices.
let gate = DatabaseGate(width: 6)

/// A database with the tables of devices.
func deviceDatabase() throws -> TestDatabase {
    try TestDatabase(
        migrations: ProjectFolder.path("migrations"),
        features: ["core", "service", "webhooks", "accounts", "devicecheck"]
    )
}

/// Runs a body with devices.
///
/// - Parameters:
///   - settings: Beside the usual ones, or in their place.
///   - policies: A file of them; `nil` for the usual ones.
func withDevices(
    _ settings: [String: String] = [:],
    policies: String? = nil,
    devices: Int = 3,
    database: TestDatabase? = nil,
    _ body: @escaping @Sendable (DeviceFixture) async throws -> Void
) async throws {
    let database = try database ?? deviceDatabase()
    try await withTemporaryFolder { folder in
        try Files.write("\(folder)/secret", Array("1 \(String(repeating: "ab", count: 32))\n".utf8), mode: 0o600)
        try Files.write("\(folder)/AuthKey_SP2X9R4HXF.p8", try ES256PrivateKey.generatePEM().reveal(), mode: 0o600)
        var texts = [
            "device_check.team_id": "A1B2C3D4E5", "merchant.secret_file": "\(folder)/secret",
            "device_check.private_key": "\(folder)/AuthKey_SP2X9R4HXF.p8",
        ]
        if let policies {
            try Files.write("\(folder)/policies.json", Array(policies.utf8))
            texts["device_check.policies"] = "\(folder)/policies.json"
        }
        texts.merge(settings) { $1 }
        let features = FeatureSet([
            ServiceFeature.self, AccountsFeature.self, WebhookDelivery.self, DeviceCheckFeature.self,
        ])
        try await StoredProgram.run(features, texts, database, gate: gate) { program in
            guard let part = program.parts.first(DeviceCheckPart.self) else {
                throw FixtureError(description: "no part")
            }
            let apple = ScriptedDevices(devices, on: part.loop.reactor)
            part.service = apple
            try await body(DeviceFixture(program: program, part: part, apple: apple))
        }
    }
}

struct FixtureError: Error, CustomStringConvertible {
    let description: String
}

extension JSONValue {
    /// The text of a member.
    func word(_ name: String) -> String? { self[name]?.text }
}
