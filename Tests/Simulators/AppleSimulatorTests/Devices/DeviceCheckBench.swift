import Cryptography
import EventIO
import HTTPClient
import HTTPCore
import HTTPServer
import JOSE
import Primitives
import SimulatorCore
import StrictJSON
import Telemetry
import TestKit
import Testing

@testable import AppleSimulator

/// A simulator of DeviceCheck on a socket, and a client with a developer's key, on one loop.
struct DeviceCheckBench {
    let reactor: Reactor
    let origin: String
    let curl: CurlClient

    static let team = "SPTEAM1234"
    static let keyID = "SP2X9R4HXF"
    static let neverSet = "Failed to find bit state"
    static let badToken = "Missing or incorrectly formatted device token payload"

    // MARK: Asking

    func send(
        _ method: String,
        _ path: String,
        _ body: [UInt8] = [],
        fields: [(String, String)] = []
    ) async throws -> InboundResponse {
        try await curl.send(
            OutboundRequest(method: method, url: origin + path, fields: fields, body: body, timeout: Patience.usual)
        )
    }

    /// Asks the control interface and reads the answer.
    @discardableResult
    func control(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        let answer = try await send(method, "/_sim" + path, body?.bytes ?? [])
        let value = try JSONParser.parse(answer.body)
        #expect(answer.status == 200, "\(method) \(path): \(value)")
        return value
    }

    /// A token of a request, as a developer's server makes it.
    func bearer(
        team: String = team,
        keyID: String = keyID,
        key: ES256PrivateKey? = nil,
        claims more: [JSONMember] = []
    ) throws -> String {
        let issued: JSONValue = .number(String(reactor.wallNow.seconds))
        let claims: [JSONMember] = [JSONMember("iss", .string(team)), JSONMember("iat", issued)] + more
        let signer = JWTSigner(key: try key ?? StoreBench.privateKey(), keyID: keyID, type: nil)
        return "Bearer " + (try signer.sign(claims: .object(claims)))
    }

    /// The time, as bodies have it.
    var milliseconds: JSONValue { .number(String(reactor.wallNow.microseconds / 1_000)) }

    /// A body of the service.
    ///
    /// - Parameter changes: In the place of usual members; `nil` leaves one out.
    func body(_ token: String, _ changes: [(String, JSONValue?)] = []) -> [UInt8] {
        let usual: [(String, JSONValue?)] = [
            ("device_token", .string(token)), ("transaction_id", "7b9f3c52-0d0f-4b1f-9b57-0f4f8f1f6a01"),
            ("timestamp", milliseconds),
        ]
        let members = usual.filter { member in !changes.contains { $0.0 == member.0 } } + changes
        return JSONValue.object(members.compactMap { name, value in value.map { JSONMember(name, $0) } }).bytes
    }

    /// Calls the service.
    ///
    /// - Parameter authorization: `nil` for the usual one.
    func call(
        _ path: String,
        _ body: [UInt8],
        in environment: String = "production",
        authorization: String? = nil
    ) async throws -> (status: Int, text: String) {
        let fields = [("authorization", try authorization ?? bearer()), ("content-type", "application/json")]
        let answer = try await send("POST", "/\(environment)/v1/\(path)", body, fields: fields)
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    func query(_ token: String, in environment: String = "production") async throws -> String {
        try await call("query_two_bits", body(token), in: environment).text
    }

    @discardableResult
    func update(
        _ token: String,
        _ bit0: Bool,
        _ bit1: Bool,
        in environment: String = "production"
    ) async throws -> Int {
        let bits: [(String, JSONValue?)] = [("bit0", .bool(bit0)), ("bit1", .bool(bit1))]
        return try await call("update_two_bits", body(token, bits), in: environment).status
    }

    // MARK: Devices

    /// Makes a device; its number.
    func device(_ body: JSONValue? = nil) async throws -> Int {
        try #require(try await control("POST", "/devices", body)["device"]?.integer)
    }

    /// What an app on a device gets.
    func token(_ device: Int, _ body: JSONValue? = nil) async throws -> String {
        try #require(try await control("POST", "/devices/\(device)/tokens", body)["deviceToken"]?.text)
    }
}

/// Runs a test against a simulator on a socket.
func withDeviceCheck(
    clock: any LoopClock = SystemClock(),
    _ body: @escaping @Sendable (DeviceCheckBench) async throws -> Void
) async throws {
    try await withLoop(clock: clock) { reactor in
        var configuration = DeviceCheckModel.Configuration(seed: [1])
        configuration.team = DeviceCheckBench.team
        let key = try StoreBench.publicKey()
        configuration.keys = [APIKey(id: DeviceCheckBench.keyID, issuer: DeviceCheckBench.team, key: key)]
        var outbound = ClientConfiguration()
        outbound.bodyLimit = 32 << 20
        let curl = CurlClient(reactor, configuration: outbound)
        let simulator = DeviceCheckSimulator(configuration, reactor: reactor, exchange: curl)
        let server = try simulator.serve(
            on: .init(SocketAddress(v4: 0x7F00_0001, port: 0), .clear),
            tls: nil,
            reactor: reactor,
            logger: .silent
        )
        let address = try #require(server.boundAddresses.first)
        try await body(DeviceCheckBench(reactor: reactor, origin: "http://\(address)", curl: curl))
        await server.drain()
        simulator.stop()
    }
}
