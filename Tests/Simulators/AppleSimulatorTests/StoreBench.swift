import Cryptography
import EventIO
import Foundation
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

/// A simulator on a socket, and a client with a developer's key, on one loop.
struct StoreBench {
    let reactor: Reactor
    let origin: String
    let curl: CurlClient

    static let bundle = "jp.example.sallyport.tickets"
    static let appID = 6_400_000_001
    static let issuer = "57246542-0000-4000-8000-0824d0110720"
    static let keyID = "SP2X9R4HXF"
    static let ticket: JSONValue = ["product": "ticket.1", "environment": "Sandbox"]

    /// The vectors, as they were made.
    static func vectors(_ name: String) throws -> JSONValue {
        let folder = try #require(Bundle.module.resourcePath)
        return try JSONParser.parse(try Files.read("\(folder)/Vectors/\(name).json", limit: 1 << 20))
    }

    static func privateKey() throws -> ES256PrivateKey {
        let pem = try #require(vectors("api-jwt")["meta"]?["privateKeyPem"]?.text)
        return try ES256PrivateKey(pem: Secret(Array(pem.utf8)))
    }

    static func publicKey() throws -> JWSVerificationKey { try JWSVerificationKey(of: privateKey()) }

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
        let fields = [("content-type", "application/json")]
        let answer = try await send(method, "/_sim" + path, body?.bytes ?? [], fields: fields)
        let value = try JSONParser.parse(answer.body)
        #expect(answer.status == 200, "\(method) \(path): \(value)")
        return value
    }

    /// A token as the vendor's clients make it.
    func bearer() throws -> String {
        let now = reactor.wallNow.seconds
        let claims: JSONValue = [
            "iss": .string(Self.issuer), "iat": .number(String(now)), "exp": .number(String(now + 300)),
            "aud": "appstoreconnect-v1", "bid": .string(Self.bundle),
        ]
        return "Bearer " + (try JWTSigner(key: Self.privateKey(), keyID: Self.keyID).sign(claims: claims))
    }

    /// Calls the API.
    func call(
        _ method: String,
        _ path: String,
        _ body: JSONValue? = nil,
        store: String = "sandbox"
    ) async throws -> (status: Int, json: JSONValue) {
        let fields = [("authorization", try bearer()), ("content-type", "application/json")]
        let answer = try await send(method, "/\(store)/inApps\(path)", body?.bytes ?? [], fields: fields)
        return (answer.status, (try? JSONParser.parse(answer.body)) ?? .null)
    }

    // MARK: Shopping

    /// Buys a ticket in the sandbox.
    ///
    /// - Returns: What the device gets: id, state and signed text.
    @discardableResult
    func buy(_ changes: [(String, JSONValue)] = []) async throws -> JSONValue {
        var members = Self.ticket.members.filter { member in !changes.contains { $0.0 == member.name } }
        members += changes.map { JSONMember($0.0, $0.1) }
        return try await control("POST", "/purchases", .object(members))
    }

    /// Buys a ticket in the sandbox.
    func ticket(_ changes: [(String, JSONValue)] = []) async throws -> String {
        try #require(try await buy(changes)["transactionId"]?.text)
    }

    /// What the API says of a transaction, verified.
    func transaction(_ id: String, store: String = "sandbox") async throws -> JSONValue {
        let answer = try await call("GET", "/v1/transactions/\(id)", store: store)
        #expect(answer.status == 200)
        return try await verified(try #require(answer.json["signedTransactionInfo"]?.text))
    }

    /// The payload of a text whose signature and certificates are good.
    func verified(_ text: String) async throws -> JSONValue {
        let root = try await send("GET", "/_sim/authority/root.der").body
        let reading = try ReadText(text)
        #expect(reading.chain.count == 3)
        #expect(reading.chain.last == root)
        #expect(try reading.isSigned)
        #expect(try reading.complaints(root: root) == [])
        return reading.payload
    }
}

/// A signed text, read without trust.
struct ReadText {
    let payload: JSONValue
    let header: JWSHeader
    let chain: [[UInt8]]
    private let text: CompactJWS

    init(_ text: String) throws {
        self.text = try CompactJWS(text, limit: 8 << 20)
        (payload, header) = (self.text.payload, self.text.header)
        chain = try (header.certificates ?? []).map { try #require(Base64.decode($0)) }
    }

    /// Whether the first certificate's key has signed it.
    var isSigned: Bool {
        get throws {
            let key = try JWSVerificationKey(certificate: X509Certificate(try #require(chain.first)))
            return (try? text.verify(with: key, allowing: [.es256])) != nil
        }
    }

    /// What is wrong with the certificates at the time of the signature.
    func complaints(root: [UInt8]) throws -> [String] {
        let (leaf, intermediate) = (try X509Certificate(chain[0]), try X509Certificate(chain[1]))
        let anchor = try X509Certificate(root)
        var complaints: [String] = []
        if !leaf.isSigned(by: intermediate) { complaints.append("leaf") }
        if !intermediate.isSigned(by: anchor) { complaints.append("intermediate") }
        let mark = DERNull.bytes
        if leaf.value(ofExtension: "1.2.840.113635.100.6.11.1") != mark { complaints.append("leaf mark") }
        if intermediate.value(ofExtension: "1.2.840.113635.100.6.2.1") != mark { complaints.append("mark") }
        if !intermediate.isAuthority || leaf.isAuthority { complaints.append("authority") }
        let milliseconds = payload["signedDate"]?.integer ?? payload["receiptCreationDate"]?.integer ?? 0
        let time = WallTime(microseconds: Int64(milliseconds) * 1_000)
        for one in [leaf, intermediate, anchor] where time < one.notBefore || one.notAfter < time {
            complaints.append("time")
        }
        return complaints
    }
}

/// The value of both marks.
enum DERNull {
    static let bytes: [UInt8] = [0x05, 0x00]
}

/// Runs a test against a simulator on a socket.
func withStore(
    clock: any LoopClock = SystemClock(),
    _ body: @escaping @Sendable (StoreBench) async throws -> Void
) async throws {
    try await withLoop(clock: clock) { reactor in
        let root = try AppStoreAuthority.makeRoot(now: reactor.wallNow)
        var configuration = AppStoreModel.Configuration(root: root, seed: [1])
        configuration.bundleID = StoreBench.bundle
        configuration.appAppleID = StoreBench.appID
        let key = try StoreBench.publicKey()
        configuration.keys = [APIKey(id: StoreBench.keyID, issuer: StoreBench.issuer, key: key)]
        var outbound = ClientConfiguration()
        outbound.bodyLimit = 32 << 20
        let curl = CurlClient(reactor, configuration: outbound)
        let simulator = AppStoreSimulator(configuration, reactor: reactor, exchange: curl)
        let server = try simulator.serve(
            on: .init(SocketAddress(v4: 0x7F00_0001, port: 0), .clear),
            tls: nil,
            reactor: reactor,
            logger: .silent
        )
        let address = try #require(server.boundAddresses.first)
        try await body(StoreBench(reactor: reactor, origin: "http://\(address)", curl: curl))
        await server.drain()
        simulator.stop()
    }
}
