import EventIO
import HTTPClient
import HTTPCore
import IntegrationKit
import Primitives
import StrictJSON
import TestKit
import Testing

/// A key for everything, which was never hashed anywhere but in the database.
enum MerchantKey {
    static let text = "swk_" + Base64URL.encode(Array(1...48))

    /// Lets the key in.
    static let insertion = """
        INSERT INTO api_key (key_id, created_at, secret_hash, name, scopes) VALUES (
            '01020304-0506-0708-090a-0b0c0d0e0f10', now(), sha256(convert_to('\(text)', 'UTF8')), 'test',
            '{sessions:read,sessions:write,buyers:read,payments:write,refunds:write,events:read}')
        ON CONFLICT DO NOTHING
        """

    static func fields(_ mark: String?) -> [(String, String)] {
        var fields = [("Authorization", "Bearer " + text)]
        if let mark { fields += [("Content-Type", "application/json"), ("Idempotency-Key", mark)] }
        return fields
    }

    /// An amount of yen as a body.
    static func amount(_ yen: Int, _ more: String = "") -> String {
        #"{"amount":{"amount":"\#(yen)","currencyCode":"JPY"}\#(more)}"#
    }
}

/// What a merchant's server knows of one paid order.
struct Till {
    let shop: Shop
    let webviewSession: String
    let charge: String
    let permission: String

    /// A shop with the interface, and an order of 27,996 yen in it.
    static func open(_ shop: Shop) async throws -> Till {
        try shop.rows(MerchantKey.insertion)
        let shopper = try await shop.shopper()
        let answer = try await shopper.purchase(try await shopper.toReturn())
        #expect(answer.status == 200, "\(answer.text)")
        let charge = try shop.value(
            "SELECT object_id FROM payment_object WHERE kind = 'charge' AND webview_session_id = $1",
            [shopper.webviewSession]
        )
        let permission = try shop.value(
            "SELECT charge_permission FROM merchant_order WHERE webview_session_id = $1",
            [shopper.webviewSession]
        )
        return Till(shop: shop, webviewSession: shopper.webviewSession, charge: charge, permission: permission)
    }

    func post(_ path: String, _ body: String, mark: String) async throws -> Page {
        try await shop.browser().request("POST", path, fields: MerchantKey.fields(mark), body: Array(body.utf8))
    }

    func get(_ path: String) async throws -> Page {
        try await shop.browser().request("GET", path, fields: MerchantKey.fields(nil))
    }

    func capture(_ yen: Int = 27_996, mark: String = "capture") async throws -> Page {
        try await post("/v1/charges/\(charge)/capture", MerchantKey.amount(yen), mark: mark)
    }

    /// Captures the whole order, which has to succeed.
    func captureAll() async throws {
        let answer = try await capture()
        #expect(answer.status == 200, "\(answer.text)")
    }

    func refund(_ yen: Int, mark: String) async throws -> Page {
        try await post("/v1/charges/\(charge)/refunds", MerchantKey.amount(yen), mark: mark)
    }

    /// Asks until there is an answer, and ends the leases of who was cut off in between.
    func insist(_ path: String, _ body: String, mark: String) async throws -> Page {
        let patience = Patience()
        while patience.isLeft {
            let answer = try await post(path, body, mark: mark)
            guard answer.status == 409 || answer.status == 503 else { return answer }
            #expect(answer[field: "retry-after"] != nil, "\(answer.text)")
            try endLeases()
        }
        throw Stubborn()
    }

    func endLeases() throws {
        try shop.rows("UPDATE payment_operation SET lease_until = now()")
        try shop.rows("UPDATE api_idempotency SET lease_until = now()")
    }

    var state: String {
        get throws {
            try shop.value("SELECT state FROM merchant_order WHERE webview_session_id = $1", [webviewSession])
        }
    }

    var events: [String] {
        get throws {
            try shop.rows(
                "SELECT type FROM event WHERE subject_id = $1 ORDER BY sequence",
                [webviewSession]
            )
            .compactMap { $0[0] }
        }
    }

    /// How many calls of an operation took effect at the provider.
    func effects(_ operation: String) async throws -> Int {
        try await shop.control.calls(operation).filter(\.isEffective).count
    }

    private struct Stubborn: Error {}
}

extension Page {
    /// The body as JSON.
    var json: JSONValue { (try? JSONParser.parse(response.body)) ?? .null }
    /// The code of a refusal of the interface for merchants.
    var code: String { json["code"]?.text ?? "" }
}

extension ShopOptions {
    /// A shop that serves the interface for merchants' programs.
    static let merchant = ShopOptions(["merchant.api": "true"])
}
