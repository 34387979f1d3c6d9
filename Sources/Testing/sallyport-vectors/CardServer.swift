import Cryptography
import EventIO
import Foundation
import HTTPCore
import Postgres
import Primitives
import StrictJSON
import TestKit
import WalletPass

/// A program that has cards; its certificate is that of the vectors.
struct CardServer {
    /// A member's card.
    struct Card {
        let serial: String
        let token: String
    }

    /// The type of the cards.
    static let passType = "pass.com.example.sallyport.member"
    /// What paths of phones begin with.
    static let base = "/wallet"

    private let program: VectorProgram
    private let judge: PassJudge

    /// For what no request can set or show.
    var admin: PostgresAdmin { program.admin }

    /// Starts a server, judges cases with it, and ends it.
    ///
    /// - Parameter vectors: A folder with `pki`.
    static func judging(
        _ vectors: URL,
        _ body: @escaping @Sendable (CardServer) async throws -> [VectorOutcome]
    ) async throws -> [VectorOutcome] {
        let root = try X509Certificate.list(Array(Data(contentsOf: vectors.appendingPathComponent("pki/root.pem"))))
        return try await VectorProgram.judging(
            scopes: "wallet:write",
            settings: { try settings(vectors, $0) },
            { try await body(CardServer(program: $0, judge: PassJudge(trust: root))) }
        )
    }

    private static func settings(_ vectors: URL, _ folder: String) throws -> [String: String] {
        let certificates = folder + "/certificates"
        try Files.makeDirectory(certificates)
        let files = [
            ("pass-member.pem", "\(passType).pem"), ("pass-member.key.pem", "\(passType).key"),
            ("wwdr-test.pem", "intermediate.pem"),
        ]
        for (source, name) in files {
            let bytes = try Data(contentsOf: vectors.appendingPathComponent("pki/" + source))
            try Files.write("\(certificates)/\(name)", Array(bytes), mode: 0o600)
        }
        return [
            "WALLET_CERTIFICATES": certificates, "WALLET_TEMPLATES": ProjectFolder.path("examples/wallet/templates"),
        ]
    }

    /// Puts a request to it, the path as it stands.
    func ask(
        _ method: String,
        _ target: String,
        _ fields: [(String, String)] = [],
        body: String = ""
    ) async throws -> InboundResponse {
        try await program.ask(method, target, fields, body: body)
    }

    /// Makes a member, and reads the card behind the link as a phone does.
    func member(_ name: String) async throws -> Card {
        let content: JSONValue = ["externalId": .string(name), "name": "山田 花子"]
        let made = try await program.order("POST", "/wallet/members", content, word: name)
        guard made.status == 201, let member = try? JSONParser.parse(made.body),
            let serial = member["serialNumber"]?.text, let link = member["walletUrl"]?.text
        else {
            throw VectorError(description: "no member: \(made.status) \(String(decoding: made.body, as: UTF8.self))")
        }
        let file = try await ask("GET", link)
        let verdict = judge.judge(file.body, at: SystemClock().now())
        guard verdict.isConforming, let token = verdict.pass?.pass["authenticationToken"]?.text else {
            throw VectorError(description: "no card: \(file.status) \(verdict.findings.map(\.description))")
        }
        return Card(serial: serial, token: token)
    }

    /// The path of a registration.
    func registration(_ device: String, _ serial: String, of type: String = CardServer.passType) -> String {
        "\(Self.base)/v1/devices/\(device)/registrations/\(type)/\(serial)"
    }

    /// What phones show for a card.
    static func authorization(_ token: String) -> (String, String) { ("Authorization", "ApplePass \(token)") }
}
