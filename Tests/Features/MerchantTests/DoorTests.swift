import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import Testing

@Suite struct `The door of a route below v1` {
    /// What a request may show in place of a key.
    private static let keyless: [[(HTTPFieldName, String)]] = [
        [], [(.authorization, "")], [(.authorization, "Bearer")], [(.authorization, MerchantKey.text)],
        [(.authorization, "Basic " + MerchantKey.text)], [(.authorization, "Bearer " + MerchantKey.text + "A")],
        [(.authorization, "Bearer swk_short")],
        [(.authorization, "Bearer swa_" + MerchantKey.text.dropFirst(4))],
        [(.authorization, "Bearer sat_" + MerchantKey.text.dropFirst(4))],
        [(.authorization, "Bearer " + MerchantKey.text), (.authorization, "Bearer " + MerchantKey.text)],
    ]

    @Test(arguments: MerchantRequest.all)
    func `is closed without a key that has the right form, and nothing is looked up`(
        request: MerchantRequest
    ) async throws {
        try await withMerchants { shop in
            for fields in Self.keyless {
                let answer = try await shop.ask(request.method, request.path, fields: fields, body: request.body)
                #expect(answer.status == 401 && answer.code == "unauthenticated", "\(fields)")
                #expect(
                    answer[.wwwAuthenticate] == "Bearer" && answer[.xRequestID] != nil
                        && answer[.webviewSessionID] == nil
                )
                #expect(answer[.cacheControl] == "no-store" && answer.body.hasSuffix("}\n"))
            }
        }
    }

    @Test(arguments: MerchantRequest.all)
    func `is closed for a key that is unknown or revoked as for none`(request: MerchantRequest) async throws {
        try await withMerchants { shop in
            shop.database.answer("api_key_find")
            let answer = try await shop.send(request, isLetIn: false)
            let none = try await shop.ask(request.method, request.path)
            #expect(answer.status == 401 && answer[.wwwAuthenticate] == "Bearer")
            // They differ in the request that they name, and in nothing else.
            let bodies = [answer, none].map { one in one.body.replacing(one[.xRequestID] ?? "", with: "") }
            #expect(bodies[0] == bodies[1] && bodies[0] != answer.body)
            let shown = try shop.parameters("api_key_find")
            let (id, hash) = (try shown.uuid(0, 0), try shown.bytes(0, 1))
            #expect(id.description == MerchantKey.id && hash.count == 32)
        }
    }

    @Test(arguments: MerchantRequest.all)
    func `is closed for browsers, whatever they show`(request: MerchantRequest) async throws {
        try await withMerchants { shop in
            for origin in ["https://shop.example", "null", ""] {
                let fields: [(HTTPFieldName, String)] = [
                    (.authorization, "Bearer " + MerchantKey.text), (.origin, origin),
                ]
                let answer = try await shop.ask(request.method, request.path, fields: fields, body: request.body)
                #expect(answer.status == 403 && answer.code == "browser_not_allowed")
            }
        }
    }

    @Test(arguments: MerchantRequest.all)
    func `opens for its scope alone`(request: MerchantRequest) async throws {
        try await withMerchants { shop in
            shop.letIn(MerchantKey.scopes.filter { $0 != request.scope })
            let answer = try await shop.send(request, isLetIn: false)
            #expect(answer.status == 403 && answer.code == "scope_missing")
            #expect(answer.message == "The API key does not have the scope \(request.scope).")
            shop.letIn([request.scope])
            shop.database.fail(request.statement, .unavailable)
            let other = try await shop.send(request, isLetIn: false)
            #expect(other.code == "unavailable")
        }
    }

    @Test(arguments: StoreFailure.all)
    func `says that the database does not answer, when to come again, and nothing else`(
        failure: StoreFailure
    ) async throws {
        try await withMerchants { shop in
            for request in MerchantRequest.all {
                shop.database.fail("api_key_find", failure.error)
                let answer = try await shop.send(request, isLetIn: false)
                #expect(answer.status == failure.status && answer.code == failure.code)
                #expect(answer[.retryAfter] == failure.retryAfter && !answer.body.contains("script says"))
            }
        }
    }

    @Test func `writes down the first use of a day, and lets in where that fails`() async throws {
        try await withMerchants { shop in
            let row = Parameters { row in
                row.append(text: "till")
                row.append(text: "sessions:read")
                row.append(bool: true)
            }
            for isWritten in [true, false] {
                shop.database.answer("api_key_find", row)
                if isWritten {
                    shop.database.answer("api_key_touch")
                } else {
                    shop.database.fail("api_key_touch", .unavailable)
                }
                shop.database.answer("order_read")
                let answer = try await shop.send(MerchantRequest.all[1], isLetIn: false)
                #expect(answer.status == 404)
            }
        }
    }

    @Test func `is closed for a while to a key that asks too often`() async throws {
        try await withMerchants(["merchant.requests_per_minute": "10"]) { shop in
            let request = MerchantRequest(.get, "/v1/charges/nothing")
            for number in 0..<50 {
                shop.database.answer("ledger_object")
                let answer = try await shop.send(request)
                guard answer.status != 404 else { continue }
                #expect(number >= 10 && answer.status == 429 && answer.code == "rate_limited")
                #expect(answer[.retryAfter].flatMap { Int($0) }.map { (1...60).contains($0) } == true)
                return shop.database.clear()
            }
            Issue.record("50 requests of a key were let in")
        }
    }

    @Test func `says on each answer what the limit leaves`() async throws {
        try await withMerchants(["merchant.requests_per_minute": "60"]) { shop in
            let request = MerchantRequest(.get, "/v1/refunds/\(Sample.refund)")
            shop.database.answer("ledger_object", ObjectRow.refund().row)
            let answer = try await shop.send(request)
            #expect(answer.status == 200 && answer[.rateLimitPolicy] == #""key";q=60;w=60"#)
            #expect(answer[.rateLimit] == #""key";r=59;t=1"#)
            shop.database.answer("ledger_object")
            let absent = try await shop.send(request)
            #expect(absent.status == 404 && absent[.rateLimitPolicy] == #""key";q=60;w=60"#)
            #expect(absent[.rateLimit] == #""key";r=58;t=2"#)
            let complete = MerchantRequest(.post, "/v1/sessions/\(Sample.session)/complete", "", "", "{}")
            let counted = try await shop.send(complete)
            #expect(counted.status == 400 && counted[.rateLimitPolicy] == #""session";q=6;w=60"#)
            #expect(counted[.rateLimit] == #""session";r=5;t=10"#)
            for _ in 0..<6 { _ = try await shop.send(complete) }
            let refused = try await shop.send(complete)
            #expect(refused.status == 429 && refused[.rateLimitPolicy] == #""session";q=6;w=60"#)
            let wait = try #require(refused[.retryAfter])
            #expect(refused[.rateLimit] == #""session";r=0;t=\#(wait)"#)
            // Nobody is counted who has not shown a key.
            let keyless = try await shop.ask(.get, request.path)
            #expect(keyless.status == 401 && keyless[.rateLimit] == nil && keyless[.rateLimitPolicy] == nil)
        }
    }

    @Test(arguments: ["complete", "finalize"])
    func `counts what buyers cause for the session and not for the key`(step: String) async throws {
        try await withMerchants(["merchant.requests_per_minute": "10"]) { shop in
            let request = MerchantRequest(.post, "/v1/sessions/\(Sample.session)/\(step)", "", "", "{}")
            for number in 0..<50 {
                let answer = try await shop.send(request)
                guard answer.status != 400 else { continue }
                #expect(number >= 1 && number < 10 && answer.code == "rate_limited")
                let other = UUIDBytes(high: Sample.id.high, low: Sample.id.low + 1)
                let next = MerchantRequest(.post, "/v1/sessions/\(other)/\(step)", "", "", "{}")
                let answered = try await shop.send(next)
                #expect(answered.status == 400)
                return
            }
            Issue.record("50 requests of a session were let in")
        }
    }

    @Test func `is closed to an address that guesses keys, and open to a key that exists`() async throws {
        try await withMerchants(["limits.unknown_per_minute": "2"]) { shop in
            let guess = "Bearer swk_" + Base64URL.encode([UInt8](repeating: 3, count: 48))
            let path = MerchantRequest.all[1].path
            // From some guess on keys are not looked up any more: the hashes of all of them are read, once.
            shop.database.answer("api_key_hashes", Parameters { $0.append(digest: Halves.hash(MerchantKey.text)) })
            for number in 0..<50 where !shop.database.names.contains("api_key_hashes") {
                shop.database.answer("api_key_find")
                let answer = try await shop.ask(.get, path, fields: [(.authorization, guess)])
                #expect(answer.status == 401 || number >= 2 && answer.status == 429)
            }
            #expect(shop.database.names.contains("api_key_hashes"))
            shop.database.clear()
            shop.letIn()
            shop.database.answer("order_read")
            let known = try await shop.send(MerchantRequest.all[1], isLetIn: false)
            #expect(known.status == 404)
            let refused = try await shop.ask(.get, path, fields: [(.authorization, guess)])
            #expect(refused.status == 429 && refused.code == "rate_limited" && refused[.retryAfter] != nil)
        }
    }
}

@Suite struct `A refusal below v1` {
    @Test func `is a problem of RFC 9457, whatever refuses`() async throws {
        try await withMerchants(["merchant.requests_per_minute": "10"]) { shop in
            let post = MerchantRequest.posts[0]
            let read = MerchantRequest(.get, "/v1/charges/nothing")
            var answers = [
                try await shop.ask(.get, "/v1/nothing"), try await shop.ask(.put, "/v1/events"),
                try await shop.ask(.delete, "/v1/openapi.json"), try await shop.ask(.get, "/v1/events"),
                try await shop.ask(.get, "/v1/events", fields: [(.origin, "https://shop.example")]),
                try await shop.send(post, body: String(repeating: " ", count: 196_609), isLetIn: false),
                try await shop.send(post, type: "text/plain"), try await shop.send(post, word: ""),
                try await shop.send(post, body: "{}"),
            ]
            shop.letIn([])
            answers.append(try await shop.send(read, isLetIn: false))
            shop.database.answer("ledger_object")
            answers.append(try await shop.send(read))
            shop.database.fail("ledger_object", .unavailable)
            answers.append(try await shop.send(read))
            for _ in 0..<9 {
                shop.database.answer("ledger_object")
                answers.append(try await shop.send(read))
            }
            shop.database.clear()
            #expect(Set(answers.map(\.status)) == [400, 401, 403, 404, 405, 413, 415, 429, 503])
            for answer in answers {
                #expect(answer[.contentType] == "application/problem+json" && answer[.cacheControl] == "no-store")
                #expect(answer.json["status"]?.integer == answer.status)
                let code = try #require(answer.code)
                #expect(answer.json["type"]?.text == "/v1/openapi.json#/components/examples/\(code)")
                #expect(answer.json["title"]?.text?.lowercased() == code.replacing("_", with: " "))
                #expect(answer.message?.hasSuffix(".") == true)
                #expect(answer.json["instance"]?.text == answer[.xRequestID].map { "request:\($0)" })
            }
        }
    }
}

@Suite struct `The form of a request below v1` {
    @Test(arguments: MerchantRequest.posts)
    func `has the content in JSON`(request: MerchantRequest) async throws {
        try await withMerchants { shop in
            for type in ["application/x-www-form-urlencoded", "text/plain", "application/merge-patch+json"] {
                let answer = try await shop.send(request, type: type)
                #expect(answer.status == 415 && answer.code == "unsupported_media_type", "\(type)")
            }
            #expect(shop.statements.isEmpty)
        }
    }

    @Test(arguments: MerchantRequest.posts)
    func `names the request with one word`(request: MerchantRequest) async throws {
        try await withMerchants { shop in
            let words = [
                ("", "empty"), ("a b", "Octet 2 "), ("ä", "Octet 1 "), ("\"a", "quotation marks"),
                ("\"a\"b", "quotation marks"), (String(repeating: "a", count: 256), "256 characters"),
            ]
            for (word, reason) in words {
                let answer = try await shop.send(request, word: word)
                #expect(answer.status == 400 && answer.code == "idempotency_key_invalid", "\(word)")
                #expect(answer.field == "Idempotency-Key" && answer.message?.contains(reason) == true, "\(word)")
            }
            let key: (HTTPFieldName, String) = (.authorization, "Bearer " + MerchantKey.text)
            let fields: [(String, [(HTTPFieldName, String)])] = [
                ("idempotency_key_missing", [key]),
                ("idempotency_key_invalid", [key, (.idempotencyKey, "a"), (.idempotencyKey, "a")]),
            ]
            for (code, fields) in fields {
                shop.letIn()
                let answer = try await shop.ask(
                    .post,
                    request.path,
                    fields: fields,
                    type: "application/json",
                    body: request.body
                )
                #expect(answer.status == 400 && answer.code == code)
                #expect(answer.field == (code == "idempotency_key_invalid" ? "Idempotency-Key" : nil))
            }
            #expect(shop.statements.isEmpty)
        }
    }

    @Test(arguments: MerchantRequest.posts)
    func `is one object of JSON`(request: MerchantRequest) async throws {
        try await withMerchants { shop in
            let deep = String(repeating: "[", count: 9) + String(repeating: "]", count: 9)
            let good = try #require(request.body)
            for body in ["{", "nonsense", "[]", "\"text\"", "1", #"{"a":\#(deep)}"#, good + "{}", "\u{FEFF}" + good] {
                let answer = try await shop.send(request, body: body)
                #expect(answer.status == 400 && answer.code == "invalid_request", "\(body)")
            }
            #expect(shop.statements.isEmpty)
        }
    }

    @Test(arguments: MerchantRequest.posts)
    func `has no member that is unknown or comes twice`(request: MerchantRequest) async throws {
        try await withMerchants { shop in
            let good = try #require(request.body)
            let more = good == "{}" ? #"{"more":1}"# : good.dropLast() + #","more":1}"#
            let unknown = try await shop.send(request, body: more)
            #expect(unknown.status == 400 && unknown.code == "invalid_request" && unknown.field == "more")
            let twice = try await shop.send(request, body: #"{"more":1,"more":1}"#)
            #expect(twice.status == 400 && twice.code == "invalid_request" && twice.field == "more")
            #expect(twice.message == #"The field "more" comes twice."# && shop.statements.isEmpty)
        }
    }

    @Test(arguments: MerchantRequest.withMembers)
    func `has all members that the route needs`(request: MerchantRequest) async throws {
        try await withMerchants { shop in
            for body in ["{}", ""] {
                let answer = try await shop.send(request, body: body)
                #expect(answer.status == 400 && answer.code == "invalid_request")
                #expect((answer.message?.hasSuffix("\" is missing.") == true) == (body == "{}"))
            }
            #expect(shop.statements.isEmpty)
        }
    }

    @Test(arguments: MerchantRequest.posts)
    func `is no larger than every order is`(request: MerchantRequest) async throws {
        try await withMerchants { shop in
            let answer = try await shop.send(request, body: String(repeating: " ", count: 196_609), isLetIn: false)
            #expect(answer.status == 413 && answer.code == "content_too_large")
            #expect(answer.message == "The content is larger than 196608 bytes." && shop.database.asked.isEmpty)
            let largest = try await shop.send(request, body: String(repeating: " ", count: 196_608))
            #expect(largest.status == 400)
        }
    }

    @Test(arguments: MerchantRequest.all)
    func `is asked of the path with a method that it has`(request: MerchantRequest) async throws {
        try await withMerchants { shop in
            let wrong = try await shop.ask(.put, request.path)
            #expect(wrong.status == 405 && wrong.code == "method_not_allowed")
            let isGet = request.method == .get
            #expect(wrong[.allow]?.contains(isGet ? "GET, HEAD" : "POST") == true)
            let unknown = try await shop.ask(request.method, request.path + "/more/more")
            #expect(unknown.status == 404 && unknown.code == "not_found")
        }
    }

    @Test func `may be asked for its description without a key`() async throws {
        try await withMerchants { shop in
            let document = try await shop.ask(.get, "/v1/openapi.json")
            #expect(document.status == 200 && document[.contentType]?.hasPrefix("application/json") == true)
            #expect(document[.cacheControl] == "no-cache")
            let paths = Set(document.json["paths"]?.members.map(\.name) ?? [])
            for request in MerchantRequest.all {
                let pattern = request.path.replacing(Sample.session, with: "{id}")
                    .replacing(Sample.charge, with: "{chargeId}").replacing(Sample.refund, with: "{refundId}")
                #expect(paths.contains(pattern), "\(pattern)")
            }
            let mark = try #require(document[.entityTag])
            let again = try await shop.ask(.get, "/v1/openapi.json", fields: [(.ifNoneMatch, mark)])
            #expect(again.status == 304 && again.body.isEmpty)
        }
    }

    @Test func `is not there unless the interface is served`() async throws {
        try await withMerchants(["merchant.api": "false"]) { shop in
            for request in MerchantRequest.all {
                let answer = try await shop.send(request, isLetIn: false)
                #expect(answer.status == 404)
            }
        }
    }
}

@Suite struct `The first statement of a route below v1` {
    @Test(arguments: MerchantRequest.all)
    func `says that the database does not answer, when to come again, and nothing else`(
        request: MerchantRequest
    )
        async throws
    {
        try await withMerchants { shop in
            // Only of what is written can the commit be unknown; other writes are looked for, in suites of their own.
            for failure in StoreFailure.all + (request.statement == "api_claim" ? [.unknown] : []) {
                shop.database.fail(request.statement, failure.error)
                let answer = try await shop.send(request)
                #expect(answer.status == failure.status && answer.code == failure.code, "\(failure)")
                #expect(answer[.retryAfter] == failure.retryAfter && answer[.cacheControl] == "no-store")
                #expect(!answer.body.contains("script says") && !answer.body.contains(request.statement))
            }
        }
    }

    @Test(arguments: MerchantRequest.all.filter { $0.statement != "session_open_app" })
    func `takes a row of another shape for a fault`(request: MerchantRequest) async throws {
        try await withMerchants { shop in
            shop.database.answer(request.statement, Cell.text("nonsense"))
            let answer = try await shop.send(request)
            #expect(answer.status == 500 && answer.code == "internal_error")
        }
    }

    @Test(
        arguments: MerchantRequest.all.filter {
            ["order_read", "ledger_object", "webview_session_mobile_return_read", "webview_session_begin_attempt"]
                .contains($0.statement)
        }
    )
    func `finds nothing, and the answer names no session`(request: MerchantRequest) async throws {
        try await withMerchants { shop in
            shop.database.answer(request.statement)
            let answer = try await shop.send(request)
            #expect(answer.status == 404 && answer.code == "not_found" && answer[.webviewSessionID] == nil)
        }
    }

    @Test(arguments: MerchantRequest.all.filter { $0.path.contains(Sample.session) })
    func `is not asked about what can be no session`(request: MerchantRequest) async throws {
        try await withMerchants { shop in
            for id in ["nothing", Sample.session.dropLast() + "g", Sample.session.uppercased() + "0"] {
                let path = request.path.replacing(Sample.session, with: id)
                let answer = try await shop.send(MerchantRequest(request.method, path, "", "", request.body))
                #expect(answer.status == 404 && answer.code == "not_found", "\(id)")
            }
            #expect(shop.statements.isEmpty)
        }
    }
}
