import AppleSimulator
import Cryptography
import DeviceAttestation
import EventIO
import HTTPClient
import HTTPCore
import HTTPServer
import JOSE
import PostgresTestKit
import Primitives
import ServerCore
import SimulatorCore
import StrictJSON
import Telemetry
import TestKit
import Testing

@testable import DeviceCheck

/// Devices and accounts on a database, whose bits are with the simulated DeviceCheck, behind a socket.
struct WiredDevices {
    let shop: DeviceFixture
    let exchange: WatchedExchange
    private let access: AppleDeviceAccess
    private let settings: AppleDeviceSettings
    private let origin: String
    private let curl: CurlClient

    static func run(
        policies: String? = nil,
        _ body: @escaping @Sendable (WiredDevices) async throws -> Void
    ) async throws {
        try await withDevices(policies: policies) { shop in
            try await withTemporaryFolder { folder in
                let reactor = shop.part.loop.reactor
                let pem = try ES256PrivateKey.generatePEM()
                try Files.write("\(folder)/AuthKey_SP2X9R4HXF.p8", pem.reveal(), mode: 0o600)
                var configuration = DeviceCheckModel.Configuration(seed: [2])
                configuration.team = DeviceServiceBench.team
                let key = try JWSVerificationKey(of: ES256PrivateKey(pem: pem))
                configuration.keys = [APIKey(id: "SP2X9R4HXF", issuer: DeviceServiceBench.team, key: key)]
                let simulator = DeviceCheckSimulator(configuration, reactor: reactor)
                let server = try simulator.serve(
                    on: .init(SocketAddress(v4: 0x7F00_0001, port: 0), .clear),
                    tls: nil,
                    reactor: reactor,
                    logger: .silent
                )
                let address = try #require(server.boundAddresses.first)
                try await body(try WiredDevices(shop, "http://\(address)", folder))
                await server.drain()
                simulator.stop()
            }
        }
    }

    private init(_ shop: DeviceFixture, _ origin: String, _ folder: String) throws {
        let reactor = shop.part.loop.reactor
        settings = try DeviceServiceBench.settings([
            "PRIVATE_KEY": "\(folder)/AuthKey_SP2X9R4HXF.p8", "PRODUCTION_URL": "\(origin)/production",
        ])
        access = AppleDeviceAccess(try settings.tokens())
        exchange = WatchedExchange(CurlClient(reactor, configuration: settings.purpose(.production).configuration))
        curl = CurlClient(reactor)
        shop.part.service = AppleDeviceService(settings, access, over: exchange, on: reactor)
        (self.shop, self.origin) = (shop, origin)
    }

    /// Asks the control interface.
    @discardableResult
    func control(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        let request = OutboundRequest(
            method: method,
            url: origin + "/_sim" + path,
            fields: [("content-type", "application/json")],
            body: body?.bytes ?? [],
            timeout: Patience.usual
        )
        let answer = try await curl.send(request)
        let value = try JSONParser.parse(answer.body)
        #expect(answer.status == 200, "\(method) \(path): \(value)")
        return value
    }

    /// A new device in a state.
    func device(_ state: DeviceState) async throws -> Int {
        let device = try #require(try await control("POST", "/devices")["device"]?.integer)
        guard let bits = DeviceMeaning.usual.write(exactly: state, over: .neverSet)?.bits else { return device }
        try await control("POST", "/devices/\(device)/bits", ["bit0": .bool(bits.bit0), "bit1": .bool(bits.bit1)])
        return device
    }

    /// What the simulator has of a device: bits and month.
    func record(of device: Int) async throws -> JSONValue {
        let record = try await control("GET", "/devices/\(device)")["records"]?.elements.first
        return .object(record?.members.filter { !["teamId", "environment"].contains($0.name) } ?? [])
    }

    func state(of device: Int) async throws -> DeviceState {
        let record = try await record(of: device)
        guard let bit0 = record["bit0"]?.flag, let bit1 = record["bit1"]?.flag else { return .new }
        return DeviceMeaning.usual.state(of: .bits(DeviceBits(bit0: bit0, bit1: bit1), lastUpdate: nil))
    }

    func token(of device: Int) async throws -> String {
        let made = try await control("POST", "/devices/\(device)/tokens", [:])
        return try #require(made["deviceToken"]?.text)
    }

    func claim(_ account: UUIDBytes, on device: Int, _ purpose: String = "free-trial") async throws -> JSONValue {
        await shop.claim(account, try await token(of: device), purpose)
    }

    /// Has the next requests go wrong; forgets what was held against the service.
    func fault(_ action: JSONValue?, _ operation: String = "queryTwoBits", times: Int = 99) async throws {
        try await control("DELETE", "/faults")
        access.replace(try settings.tokens())
        guard let action else { return }
        let match: JSONValue = ["operation": .string(operation), "count": JSONValue(times)]
        try await control("POST", "/faults", ["match": match, "action": action])
    }
}
