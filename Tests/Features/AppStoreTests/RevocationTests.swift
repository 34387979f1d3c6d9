import AppStoreTransactions
import Cryptography
import EventIO
import FeatureTestKit
import HTTPCore
import JOSE
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import StrictJSON
import TestKit
import Testing

@testable import AppStore

@Suite struct `Certificates of signed texts` {
    private static let account = UUIDBytes(high: 1, low: 1)

    private func purchase(_ id: String) -> JSONValue {
        [
            "transactionId": .string(id), "originalTransactionId": .string(id),
            "bundleId": "jp.example.sallyport.tickets", "productId": "consumable.ticket.1", "type": "Consumable",
            "quantity": 1, "inAppOwnershipType": "PURCHASED", "environment": "Sandbox",
            "purchaseDate": JSONValue(Int(SystemClock().now().seconds * 1_000)),
            "signedDate": JSONValue(Int(SystemClock().now().seconds * 1_000)),
        ]
    }

    @Test func `are asked about once, both of them, for many texts`() async throws {
        try await withAuthority("hard") { shop, authority in
            try await shop.open(Self.account)
            let text = try authority.sign(purchase("1"))
            let together = await shop.submitTogether(text, Self.account, times: 8)
            #expect(together.allSatisfy { ["granted", "duplicate"].contains($0.outcome) })
            #expect(await shop.submit(try authority.sign(purchase("2")), Self.account).outcome == "granted")
            #expect(authority.asked.count == 2)
            #expect(Set(authority.asked.map(\.url)) == [TestAuthority.responder])
            #expect(authority.asked.allSatisfy { $0.method == "POST" })
        }
    }

    @Test(arguments: ["soft", "hard"])
    func `that are revoked make no text good, whoever brings it`(policy: String) async throws {
        try await withAuthority(policy) { shop, authority in
            try await shop.open(Self.account)
            authority.state = .revoked
            let text = try authority.sign(purchase("1"))
            let refused = Submitted(outcome: "signed_text_refused", finish: false, reason: "certificate")
            #expect(await shop.submit(text, Self.account) == refused)
            #expect(try await shop.notify(try authority.notification("a", text)) == 400)
            #expect(shop.program.log.lines(with: "app_store.certificate_revoked").count == 2)
            #expect(try shop.admin.rows("SELECT 1 FROM app_store_purchase") == [])
        }
    }

    @Test func `of which nobody says anything make a text good, but where an answer is wanted`() async throws {
        try await withAuthority("soft") { shop, authority in
            try await shop.open(Self.account)
            authority.state = .silent
            #expect(await shop.submit(try authority.sign(purchase("1")), Self.account).outcome == "granted")
            #expect(await shop.submit(try authority.sign(purchase("2")), Self.account).outcome == "granted")
            // Nobody asks again for a while.
            #expect(authority.asked.count == 2)
            #expect(shop.program.log.lines(with: "app_store.revocation_unknown").count == 2)
        }
        try await withAuthority("hard") { shop, authority in
            try await shop.open(Self.account)
            authority.state = .silent
            let text = try authority.sign(purchase("1"))
            let later = Submitted(outcome: "app_store_unavailable", finish: false)
            #expect(await shop.submit(text, Self.account) == later)
            #expect(try await shop.notify(try authority.notification("a", text)) == 503)
            authority.state = .good
            shop.part.revocation?.forget()
            #expect(try await shop.notify(try authority.notification("a", text)) == 200)
            #expect(await shop.submit(text, Self.account).outcome == "granted")
        }
    }

    /// The outer text is Apple's; the one inside is signed by a certificate of its own.
    @Test func `inside a notification are asked about on their own`() async throws {
        try await withAuthority("hard") { shop, authority in
            let other = try authority.sibling()
            authority.revoked = other.leafSerial
            let notice = try authority.notification("a", try other.sign(purchase("1")))
            #expect(try await shop.notify(notice) == 200)
            #expect(try shop.admin.rows("SELECT outcome FROM app_store_notification") == [["refused"]])
            #expect(try shop.admin.rows("SELECT 1 FROM app_store_purchase") == [])
        }
        try await withAuthority("hard") { shop, authority in
            let other = try authority.sibling()
            authority.silent = other.leafSerial
            let notice = try authority.notification("a", try other.sign(purchase("1")))
            #expect(try await shop.notify(notice) == 503)
            #expect(try shop.admin.rows("SELECT outcome FROM app_store_notification") == [])
        }
    }

    @Test func `are not asked about where that is off`() async throws {
        try await withAuthority("off") { shop, authority in
            try await shop.open(Self.account)
            authority.state = .revoked
            #expect(await shop.submit(try authority.sign(purchase("1")), Self.account).outcome == "granted")
            #expect(authority.asked.isEmpty)
        }
    }
}

/// An authority in the shape of Apple's, and its responder.
private final class TestAuthority: HTTPExchange {
    enum State {
        case good, revoked, silent
    }

    static let responder = "http://ocsp.example/app-store"

    let root: IssuedCertificate
    let intermediate: IssuedCertificate
    let leaf: IssuedCertificate
    private let signer: JWTSigner
    let leafSerial: [UInt8]
    /// Of all certificates.
    var state = State.good
    /// The serial number of one that is revoked all the same.
    var revoked: [UInt8] = []
    /// The serial number of one of which nothing is said.
    var silent: [UInt8] = []
    private(set) var asked: [OutboundRequest] = []

    init(root: IssuedCertificate, intermediate: IssuedCertificate) throws {
        (self.root, self.intermediate) = (root, intermediate)
        leaf = try Self.issue("Leaf", "1.2.840.113635.100.6.11.1", ["CA:FALSE", "digitalSignature"], intermediate)
        let chain = try [leaf, intermediate, root].map { try X509Certificate($0.certificatePEM) }
        leafSerial = Array(chain[0].serialNumber.drop { $0 == 0 })
        signer = JWTSigner(key: try ES256PrivateKey(pem: leaf.keyPEM), certificates: chain)
    }

    /// One whose certificates are those of the same root and intermediate, and a leaf of its own.
    func sibling() throws -> TestAuthority { try TestAuthority(root: root, intermediate: intermediate) }

    func sign(_ payload: JSONValue) throws -> String { try signer.sign(header: [], claims: payload) }

    func notification(_ id: String, _ inner: String) throws -> String {
        try sign([
            "notificationType": "ONE_TIME_CHARGE", "notificationUUID": .string(id), "version": "2.0",
            "signedDate": JSONValue(Int(SystemClock().now().seconds * 1_000)),
            "data": [
                "environment": "Sandbox", "bundleId": "jp.example.sallyport.tickets",
                "signedTransactionInfo": .string(inner),
            ],
        ])
    }

    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        asked.append(request)
        let now = SystemClock().now()
        var isSilent = state == .silent
        let answer = try? OCSPResponder.answer(
            to: request.body,
            issuers: [root, intermediate],
            validity: OCSPResponder.Validity(from: now + .seconds(-10), to: now + .seconds(3_600))
        ) { serial in
            if serial == silent { isSilent = true }
            return state == .revoked || serial == revoked ? .revoked(at: now + .seconds(-60)) : .good
        }
        guard !isSilent, let answer else { throw HTTPExchangeError(.timedOut, detail: "nobody answers") }
        return InboundResponse(status: 200, fields: [], body: answer)
    }

    // MARK: Issuing

    static func makeRoot() throws -> IssuedCertificate {
        try make("Root", ["CA:TRUE", "keyCertSign"], [], nil, .p384)
    }

    static func makeIntermediate(_ root: IssuedCertificate) throws -> IssuedCertificate {
        try issue("Intermediate", "1.2.840.113635.100.6.2.1", ["CA:TRUE", "keyCertSign"], root, .p384)
    }

    private static func issue(
        _ name: String,
        _ marker: String,
        _ uses: [String],
        _ issuer: IssuedCertificate,
        _ key: KeyKind = .p256
    ) throws -> IssuedCertificate {
        let extensions: [CertificateProfile.Extension] = [
            .init("authorityInfoAccess", "OCSP;URI:\(responder)"), .init(marker, "DER:05:00"),
        ]
        return try make(name, uses, extensions, issuer, key)
    }

    private static func make(
        _ name: String,
        _ uses: [String],
        _ extensions: [CertificateProfile.Extension],
        _ issuer: IssuedCertificate?,
        _ key: KeyKind
    ) throws -> IssuedCertificate {
        let basic: [CertificateProfile.Extension] = [
            .init("basicConstraints", "critical,\(uses[0])"), .init("keyUsage", "critical,\(uses[1])"),
        ]
        return try IssuedCertificate.make(
            CertificateProfile(
                subject: [.init("CN", "Sallyport Test \(name)")],
                extensions: basic + extensions,
                lifetime: .seconds(86_400)
            ),
            issuer: issuer,
            key: key,
            now: SystemClock().now(),
            random: KernelRandom()
        )
    }
}

/// Runs a body with purchases, and an authority that answers for its certificates.
private func withAuthority(
    _ policy: String,
    _ body: @escaping @Sendable (AppStoreFixture, TestAuthority) async throws -> Void
) async throws {
    let root = try TestAuthority.makeRoot()
    let intermediate = try TestAuthority.makeIntermediate(root)
    try await withTemporaryFolder { folder in
        try Files.write("\(folder)/root.pem", root.certificatePEM)
        let settings = ["app_store.root_certificates": "\(folder)/root.pem", "app_store.revocation": policy]
        try await withAppStore(
            settings,
            apple: {
                (try? TestAuthority(root: root, intermediate: intermediate)) as (any HTTPExchange)? ?? ScriptedFailure()
            }
        ) { shop in
            let exchange = shop.part.loop.offered((any HTTPExchange).self)
            guard let authority = exchange as? TestAuthority else { throw FixtureError(description: "no authority") }
            try await body(shop, authority)
        }
    }
}

/// Stands in where no authority could be made.
private final class ScriptedFailure: HTTPExchange {
    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        throw HTTPExchangeError(.timedOut, detail: "no authority")
    }
}
