import HTTPClient
import HTTPCore
import Primitives
package import StrictJSON

/// A merchant's server, as far as it talks to the interface.
package struct MerchantClient: Sendable {
    /// The key that it shows.
    package let key: String
    private let client: TestClient

    /// A server with a whole key, for whom a shop serves the interface.
    package init(_ shop: Shop, key: String) {
        client = shop.http
        self.key = key
    }

    /// Asks for something.
    package func get(_ path: String) async throws -> MerchantReply {
        MerchantReply(try await client.send("GET", path, fields: [("Authorization", "Bearer " + key)]))
    }

    /// Sends something.
    ///
    /// - Parameter word: Names the request; a fresh one by default.
    package func post(_ path: String, _ body: JSONValue, word: String? = nil) async throws -> MerchantReply {
        let word = word ?? Hex.encode((0..<12).map { _ in UInt8.random(in: 0...255) })
        let fields = [
            ("Authorization", "Bearer " + key), ("Content-Type", "application/json"), ("Idempotency-Key", word),
        ]
        return MerchantReply(try await client.send("POST", path, fields: fields, body: body.bytes))
    }

    /// Opens a session.
    ///
    /// - Parameters:
    ///   - order: What to sell; two packs of tea for a buyer on a site by default.
    ///   - word: Names the request; a fresh one by default.
    package func open(_ order: JSONValue = MerchantClient.order(), word: String? = nil) async throws -> OpenSession {
        try OpenSession(try await post("/v1/sessions", order, word: word))
    }

    /// Completes a session as the merchant's server does when the buyer is back.
    ///
    /// - Parameter verifier: Where the session was opened with a challenge.
    package func complete(
        _ session: OpenSession,
        _ back: String,
        verifier: String? = nil
    ) async throws -> MerchantReply {
        let ticket = MerchantClient.parameter("secureWebviewSessionId", of: back)
        let reference = MerchantClient.parameter("orderReferenceId", of: back)
        var members = [
            JSONMember("returnTicket", .string(ticket)), JSONMember("orderReferenceId", .string(reference)),
            JSONMember("appProof", .string(session.proof)),
        ]
        if let verifier { members.append(JSONMember("codeVerifier", .string(verifier))) }
        return try await post("/v1/sessions/\(session.id)/complete", .object(members))
    }

    /// Two packs of tea: 2,400 yen, 240 tax, 540 postage.
    ///
    /// - Parameters:
    ///   - client: `site`, `iosApp` or `androidApp`.
    ///   - changes: Members that replace those of the order; `null` takes one out.
    package static func order(client: String = "site", _ changes: [JSONMember] = []) -> JSONValue {
        var members = [
            JSONMember("reference", "A-1001"), JSONMember("client", .string(client)), JSONMember("currency", "JPY"),
            JSONMember(
                "lines",
                [["id": "sku-1", "name": "煎茶 100g", "unitPrice": yen(1_200), "quantity": 2, "sum": yen(2_400)]]
            ),
            JSONMember("tax", yen(240)), JSONMember("postage", ["amount": yen(540)]),
            JSONMember("returnUrl", "https://shop.example.com/paid?cart=7"), JSONMember("metadata", ["cart": "7"]),
        ]
        for change in changes {
            members.removeAll { $0.name == change.name }
            if change.value != .null { members.append(change) }
        }
        return .object(members)
    }

    /// An amount of yen.
    package static func yen(_ amount: Int) -> JSONValue {
        ["amount": .string("\(amount)"), "currencyCode": "JPY"]
    }

    /// A key as it could be, which nobody has made.
    package static func madeUpKey() -> String {
        "swk_" + Base64URL.encode((0..<48).map { _ in UInt8.random(in: 0...255) })
    }

    /// The value of a parameter of an address; empty where there is none.
    package static func parameter(_ name: String, of address: String) -> String {
        for pair in address.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0] == name { return String(parts[1]) }
        }
        return ""
    }
}

/// What a session's opening was answered.
package struct OpenSession: Sendable {
    /// Names the session.
    package let id: String
    /// Where the buyer's tab goes.
    package let url: String
    /// What the server keeps.
    package let proof: String
    /// The whole answer.
    package let reply: MerchantReply

    init(_ reply: MerchantReply) throws(MerchantRefused) {
        guard reply.status == 201, let id = reply["id"]?.text, let url = reply["launch"]?["url"]?.text,
            let proof = reply["launch"]?["appProof"]?.text
        else { throw MerchantRefused(status: reply.status, body: reply.text) }
        self.id = id
        self.url = url
        self.proof = proof
        self.reply = reply
    }
}

/// An answer of the interface.
package struct MerchantReply: Sendable {
    /// The page it came as.
    package let page: Page
    /// The content; `null` where it is no JSON.
    package let body: JSONValue

    init(_ page: Page) {
        self.page = page
        body = (try? JSONParser.parse(Array(page.text.utf8))) ?? .null
    }

    /// The status.
    package var status: Int { page.status }
    /// The content as text.
    package var text: String { page.text }
    /// The code of a refusal; empty for a success.
    package var code: String { body["code"]?.text ?? "" }
    /// The member that a refusal names; empty where there is none.
    package var field: String { body["field"]?.text ?? "" }

    /// A member of the content.
    package subscript(name: String) -> JSONValue? { body[name] }
}

/// The interface refused what a test needs.
package struct MerchantRefused: Error, Sendable {
    /// The status.
    package let status: Int
    /// The content.
    package let body: String
}

extension Shop {
    /// A merchant's server with a fresh key.
    package func merchant(
        _ scopes: String = allScopes
    ) async throws -> MerchantClient {
        MerchantClient(self, key: try await makeKey(scopes))
    }
}

extension ShopOptions {
    /// A shop that serves merchants' programs and sends their buyers back to `https://shop.example.com`.
    package static func merchants(_ settings: [String: String] = [:]) -> ShopOptions {
        var all = [
            "merchant.api": "true", "merchant.return_origins": "https://shop.example.com",
            "merchant.app_links": "https://shop.example.com,com.example.shop:",
        ]
        all.merge(settings) { _, own in own }
        return ShopOptions(all)
    }
}
