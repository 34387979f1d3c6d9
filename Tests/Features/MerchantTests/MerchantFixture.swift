import Accounts
import Checkout
import FeatureTestKit
import HTTPCore
import Merchant
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import Testing
import Webhooks

/// Runs a body with the interface for merchants' programs, on a loop.
func withMerchants(
    _ settings: [String: String] = [:],
    _ body: @escaping @Sendable (ScriptedProgram) async throws -> Void
) async throws {
    let features = FeatureSet([
        ServiceFeature.self, AccountsFeature.self, CheckoutFeature.self, WebhookDelivery.self, MerchantFeature.self,
    ])
    try await ScriptedProgram.run(features, ["merchant.api": "true"].merging(settings) { $1 }, body)
}

/// The key of a merchant's program, and what it opens.
enum MerchantKey {
    static let text = "swk_" + Base64URL.encode(Array(1...48))
    static let id = "01020304-0506-0708-090a-0b0c0d0e0f10"
    static let scopes = [
        "sessions:read", "sessions:write", "buyers:read", "payments:write", "refunds:write", "events:read",
    ]
}

/// What rows and provider say of one order.
enum Sample {
    static let id = UUIDBytes(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
    static let session = id.description
    static let checkoutSession = "3f1c2d9e-7b40-4f0a-9a55-6f2c8f5b0e11"
    static let permission = "S03-1234567-7654321"
    static let charge = permission + "-C012345"
    static let refund = permission + "-R012345"
    static let time = WallTime(seconds: 1_790_000_000)
    static let text = "2026-09-21T14:13:20Z"

    /// A sum of yen as JSON.
    static func yen(_ amount: Int) -> String { #"{"amount":"\#(amount)","currencyCode":"JPY"}"# }

    /// A body with an amount and no more.
    static func amount(_ amount: Int) -> String { #"{"amount":\#(yen(amount))}"# }
}

/// A request below `/v1`.
struct MerchantRequest: Sendable, CustomTestStringConvertible {
    let method: HTTPMethod
    let path: String
    /// What the key has to open.
    var scope = ""
    var body: String?
    /// The first statement behind that of the key.
    var statement = ""

    var testDescription: String { "\(method.text) \(path)" }

    init(_ method: HTTPMethod, _ path: String, _ scope: String = "", _ statement: String = "", _ body: String? = nil) {
        self.method = method
        self.path = path
        self.scope = scope
        self.statement = statement
        self.body = body
    }

    /// Every route that asks for a key.
    static let all = [
        MerchantRequest(.post, "/v1/sessions", "sessions:write", "session_open_app", SessionBodies.site),
        MerchantRequest(.get, "/v1/sessions/\(Sample.session)", "sessions:read", "order_read"),
        MerchantRequest(.get, "/v1/sessions/\(Sample.session)/buyer", "buyers:read", "order_read"),
        MerchantRequest(.get, "/v1/sessions", "sessions:read", "order_part"),
        MerchantRequest(
            .post,
            "/v1/sessions/\(Sample.session)/complete",
            "sessions:write",
            "webview_session_begin_attempt",
            SessionBodies.completion()
        ),
        MerchantRequest(
            .post,
            "/v1/sessions/\(Sample.session)/finalize",
            "sessions:write",
            "webview_session_mobile_return_read",
            SessionBodies.finalization()
        ),
        MerchantRequest(.post, "/v1/sessions/\(Sample.session)/cancel", "sessions:write", "api_claim", "{}"),
        MerchantRequest(
            .post,
            "/v1/sessions/\(Sample.session)/charges",
            "payments:write",
            "order_read",
            Sample.amount(500)
        ),
        MerchantRequest(.get, "/v1/sessions/\(Sample.session)/charges", "sessions:read", "order_read"),
        MerchantRequest(.get, "/v1/charges/\(Sample.charge)", "sessions:read", "ledger_object"),
        MerchantRequest(
            .post,
            "/v1/charges/\(Sample.charge)/capture",
            "payments:write",
            "ledger_object",
            Sample.amount(500)
        ),
        MerchantRequest(.post, "/v1/charges/\(Sample.charge)/cancel", "payments:write", "ledger_object", "{}"),
        MerchantRequest(
            .post,
            "/v1/charges/\(Sample.charge)/refunds",
            "refunds:write",
            "ledger_object",
            Sample.amount(500)
        ),
        MerchantRequest(.post, "/v1/charges/\(Sample.charge)/refresh", "sessions:read", "ledger_object", "{}"),
        MerchantRequest(.get, "/v1/charges/\(Sample.charge)/refunds", "sessions:read", "ledger_object"),
        MerchantRequest(.get, "/v1/refunds/\(Sample.refund)", "sessions:read", "ledger_object"),
        MerchantRequest(.post, "/v1/refunds/\(Sample.refund)/refresh", "sessions:read", "ledger_object", "{}"),
        MerchantRequest(.post, "/v1/sessions/\(Sample.session)/close", "payments:write", "order_read", "{}"),
        MerchantRequest(.get, "/v1/events", "events:read", "event_feed_page"),
    ]

    static let posts = all.filter { $0.method == .post }
    /// Those whose body is read before anything is asked; without a body they are refused.
    static let withMembers = posts.filter { $0.body != "{}" }
}

extension ScriptedProgram {
    /// Scripts the look at a key that works.
    func letIn(_ scopes: [String] = MerchantKey.scopes) {
        database.answer(
            "api_key_find",
            Parameters { row in
                row.append(text: "till")
                row.append(text: scopes.joined(separator: ","))
                row.append(bool: false)
            }
        )
    }

    /// Asks with a key, which is let in unless told otherwise.
    ///
    /// - Parameters:
    ///   - request: What is asked.
    ///   - word: Of `Idempotency-Key`; only POST has one.
    ///   - type: Of the content.
    ///   - body: In place of the request's own.
    ///   - isLetIn: Whether the look at the key is scripted here.
    func send(
        _ request: MerchantRequest,
        word: String = "word-1",
        type: String = "application/json",
        body: String? = nil,
        isLetIn: Bool = true
    ) async throws -> Answer {
        if isLetIn { letIn() }
        var fields: [(HTTPFieldName, String)] = [(.authorization, "Bearer " + MerchantKey.text)]
        if request.method == .post { fields.append((.idempotencyKey, word)) }
        return try await ask(request.method, request.path, fields: fields, type: type, body: body ?? request.body)
    }

    /// The parameters of the only time that a statement was sent.
    func parameters(_ name: String) throws -> ResultSet {
        let sent = database.asked.filter { $0.name == name }
        #expect(sent.count == 1, "\(database.names)")
        return try #require(sent.last?.parameters)
    }

    /// What was asked behind the look at the key.
    var statements: [String] { database.names.filter { $0 != "api_key_find" } }
}

extension Answer {
    /// The content.
    var json: JSONValue { (try? JSONParser.parse(Array(body.utf8))) ?? .null }
    /// The code of a refusal below `/v1`.
    var code: String? { json["code"]?.text }
    /// The member that a refusal is about.
    var field: String? { json["field"]?.text }
    /// The sentence of a refusal.
    var message: String? { json["detail"]?.text }
    /// What the provider said, as it is passed on.
    var provider: JSONValue? { json["provider"] }
}

extension ResultSet {
    /// A text of JSON, parsed.
    func value(_ row: Int, _ column: Int) throws -> JSONValue { try JSONParser.parse(try bytes(row, column)) }
}

/// A failure of the database as `/v1` reports it.
struct StoreFailure: Sendable, CustomTestStringConvertible {
    let error: PostgresError.Code
    let status: Int
    let code: String
    let retryAfter: String?

    var testDescription: String { "\(error)" }

    init(_ error: PostgresError.Code, _ status: Int, _ code: String, _ retryAfter: String?) {
        self.error = error
        self.status = status
        self.code = code
        self.retryAfter = retryAfter
    }

    static let all = [
        StoreFailure(.unavailable, 503, "unavailable", "5"), StoreFailure(.overloaded, 503, "unavailable", "1"),
        StoreFailure(.rejected(sqlState: "55P03"), 503, "unavailable", "5"),
        StoreFailure(.rejected(sqlState: "42P01"), 500, "internal_error", nil),
        StoreFailure(.decoding, 500, "internal_error", nil),
    ]
    /// A commit that nobody saw.
    static let unknown = StoreFailure(.outcomeUnknown, 503, "outcome_unknown", "5")
}
