import HTTPClient
import HTTPCore
import JOSE
import OpenID
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import LoginSimulator

@Suite("A simulated provider of logins")
struct SimulatedLoginTests {
    private static let yahoo = ProviderFace.all[0]

    @Test(arguments: ProviderFace.all.map(\.name))
    func `logs a user in by a code, and says who it is`(_ name: String) async throws {
        try await withProviders { bench in
            let face = try #require(ProviderFace.all.first { $0.name == name })
            let code = try #require(try await bench.read(face).code?.reveal())
            #expect(code.utf8.count == 8)
            let extra = face.signsWithSecret ? [("id_token_key_type", "JWK")] : []
            let tokens = try LoginBench.tokens(try await bench.exchange(face, code, extra: extra))
            let token = try #require(tokens.idToken?.reveal())
            let access = tokens.accessToken.reveal()
            let claims = try await bench.judge(face, token, access: access).get()
            #expect(claims.subject == "SALLYPORTUSERHANAKO0000001")
            #expect((tokens.refreshToken == nil) == face.refreshesOffline)
            guard let path = face.userInfo else { return }
            let fields = [("authorization", "Bearer " + access)]
            let answer = try await bench.send("GET", face.base + path, fields: fields)
            let info = try UserInfo(status: answer.status, challenge: nil, body: answer.body, of: claims.subject)
            #expect(info.claims.map(\.name) == ["sub"])
        }
    }

    @Test func `signs with the client's secret as LINE does, unless a key is asked for`() async throws {
        try await withProviders { bench in
            let line = try #require(ProviderFace.all.first { $0.name == "line" })
            let code = try #require(try await bench.read(line).code?.reveal())
            let tokens = try LoginBench.tokens(try await bench.exchange(line, code))
            let token = try #require(tokens.idToken?.reveal())
            let secret = IDTokenKeys.clientSecret(Secret(Array((LoginBench.server.secret ?? "").utf8)))
            #expect(try await bench.judge(line, token, with: secret).get().subject == "SALLYPORTUSERHANAKO0000001")
        }
    }

    @Test(arguments: [[.code, .idToken], [.code, .token], [.code, .idToken, .token]] as [ResponseType])
    func `answers a hybrid request in the fragment`(_ type: ResponseType) async throws {
        try await withProviders { bench in
            let face = SimulatedLoginTests.yahoo
            let answer = try await bench.read(face, type)
            let code = try #require(answer.code?.reveal())
            let tokens = try LoginBench.tokens(try await bench.exchange(face, code))
            let back = try await bench.judge(
                face,
                try #require(tokens.idToken?.reveal()),
                access: tokens.accessToken.reveal()
            ).get()
            guard type.contains(.idToken) else { return }
            let front = try await bench.judge(
                face,
                try #require(answer.idToken?.reveal()),
                .front(type),
                code: code,
                access: answer.accessToken?.reveal()
            )
            try back.check(against: try front.get())
        }
    }

    /// What each flaw of an ID token makes of it for a reader.
    private static let reasons: [(String, IDTokenRefusal)] = [
        ("id-iss-other", .issuerMismatch), ("id-iss-slash", .issuerMismatch), ("id-aud-other", .audienceMismatch),
        ("id-aud-extra", .audienceUntrusted), ("id-aud-empty", .audienceMismatch), ("id-azp-other", .partyMismatch),
        ("id-sub-empty", .subjectInvalid), ("id-nonce-other", .nonceMismatch), ("id-nonce-absent", .claimMissing),
        ("id-at-hash", .accessTokenHashMismatch), ("id-expired", .expired), ("id-iat-old", .issuedTooLongAgo),
        ("id-iat-ahead", .issuedInFuture), ("id-alg-none", .algorithmNotAllowed),
        ("id-hs256-public-key", .algorithmNotAllowed), ("id-hs256-secret", .algorithmNotAllowed),
        ("id-kid-unknown", .keyUnknown), ("id-kid-absent", .keyMissing), ("id-kid-other", .badSignature),
        ("id-jwk", .badSignature), ("id-jku", .badSignature), ("id-crit", .criticalExtension),
        ("id-signature-cut", .badSignature), ("id-base64-padded", .malformedEncoding),
        ("id-claim-twice", .malformedPayload),
    ]

    @Test func `spoils an ID token as a tester wants`() async throws {
        try await withProviders { bench in
            let face = SimulatedLoginTests.yahoo
            for (flaw, reason) in SimulatedLoginTests.reasons {
                try await bench.control("POST", "/flaws", ["at": "back", "do": .string(flaw)])
                let code = try #require(try await bench.read(face).code?.reveal())
                let tokens = try LoginBench.tokens(try await bench.exchange(face, code))
                let token = try #require(tokens.idToken?.reveal())
                let judged = try await bench.judge(face, token, access: tokens.accessToken.reveal())
                #expect(throws: reason, "\(flaw)") { try judged.get() }
            }
        }
    }

    @Test func `spoils the token of the browser alone, or the one behind it`() async throws {
        try await withProviders { bench in
            let face = SimulatedLoginTests.yahoo
            let type: ResponseType = [.code, .idToken]
            let judge = { (answer: AuthorizationAnswer) async throws -> Result<IDTokenClaims, IDTokenRefusal> in
                let token = try #require(answer.idToken?.reveal())
                return try await bench.judge(face, token, .front(type), code: answer.code?.reveal())
            }
            try await bench.control("POST", "/flaws", ["at": "front", "do": "id-c-hash"])
            let spoilt = try await judge(try await bench.read(face, type))
            #expect(throws: IDTokenRefusal.codeHashMismatch) { try spoilt.get() }
            try await bench.control("POST", "/flaws", ["at": "back", "do": "id-sub-other"])
            let answer = try await bench.read(face, type)
            let front = try await judge(answer).get()
            let code = try #require(answer.code?.reveal())
            let tokens = try LoginBench.tokens(try await bench.exchange(face, code))
            let back = try await bench.judge(face, try #require(tokens.idToken?.reveal())).get()
            #expect(throws: HybridMismatch.subjectChanged) { try back.check(against: front) }
        }
    }

    @Test(
        arguments: [
            ("", nil), ("id-auth-time-absent", .claimMissing), ("id-auth-time-old", .loginTooLongAgo),
        ] as [(String, IDTokenRefusal?)]
    )
    func `says when the user logged in where it is asked for`(_ flaw: String, _ reason: IDTokenRefusal?) async throws {
        try await withProviders { bench in
            let face = SimulatedLoginTests.yahoo
            if !flaw.isEmpty { try await bench.control("POST", "/flaws", ["at": "back", "do": .string(flaw)]) }
            let code = try #require(try await bench.read(face, extra: [("max_age", "3600")]).code?.reveal())
            let tokens = try LoginBench.tokens(try await bench.exchange(face, code))
            let token = try #require(tokens.idToken?.reveal())
            let judged = try await bench.judge(face, token, within: .seconds(3_600))
            guard let reason else {
                #expect(try judged.get().loggedInAt != nil)
                return
            }
            #expect(throws: reason) { try judged.get() }
        }
    }

    @Test(arguments: [
        ("userinfo-sub-other", "", UserInfoRefusal.Action.drop), ("userinfo-not-granted", "", .configurationError),
        ("userinfo-old-form", "x", .refreshOnce), ("", "x", .refreshOnce),
    ])
    func `spoils claims as a tester wants`(
        _ flaw: String,
        _ behindToken: String,
        _ action: UserInfoRefusal.Action
    ) async throws {
        try await withProviders { bench in
            let face = SimulatedLoginTests.yahoo
            let code = try #require(try await bench.read(face).code?.reveal())
            let access = try LoginBench.tokens(try await bench.exchange(face, code)).accessToken.reveal()
            if !flaw.isEmpty { try await bench.control("POST", "/flaws", ["at": "userinfo", "do": .string(flaw)]) }
            let fields = [("authorization", "Bearer \(access)\(behindToken)")]
            let answer = try await bench.send("GET", "/yconnect/v2/attribute", fields: fields)
            let challenge = answer.first("www-authenticate")
            #expect(challenge.map { $0.contains("Bearer") } != (flaw == "userinfo-old-form"))
            do throws(UserInfoRefusal) {
                _ = try UserInfo(
                    status: answer.status,
                    challenge: challenge,
                    body: answer.body,
                    of: "SALLYPORTUSERHANAKO0000001"
                )
                Issue.record("The claims are good.")
            } catch {
                #expect(error.action == action)
            }
        }
    }

    @Test func `spoils its documents as a tester wants`() async throws {
        try await withProviders { bench in
            let face = SimulatedLoginTests.yahoo
            try await bench.control("POST", "/flaws", ["at": "keys", "do": "keys-comma"])
            let keys = try await bench.send("GET", "/yconnect/v2/jwks").body
            #expect(throws: JSONWebKeyError.malformedKeys) { try JSONWebKeySet(keys) }
            let path = face.base + "/.well-known/openid-configuration"
            try await bench.control("POST", "/flaws", ["at": "discovery", "do": "issuer-flip"])
            #expect(try await bench.send("GET", path).status == 302)
            try await bench.control("POST", "/flaws", ["at": "discovery", "do": "discovery-inner"])
            let document = try JSONParser.parse(try await bench.send("GET", path).body)
            #expect(document["token_endpoint"] == "https://10.0.0.1/token")
        }
    }

    @Test(arguments: [
        ("state-dropped", "state_missing"), ("state-changed", "state_mismatch"), ("state-twice", "duplicate_parameter"),
        ("state-empty", "state_mismatch"), ("iss-wrong", "iss_mismatch"), ("wrong-channel", "wrong_channel"),
        ("code-missing", "user_cancelled"), ("error-and-code", "provider_error"), ("empty-part", ""),
    ])
    func `spoils its answer as a tester wants`(_ flaw: String, _ reason: String) async throws {
        try await withProviders { bench in
            try await bench.control("POST", "/flaws", ["at": "authorization", "do": .string(flaw)])
            do {
                _ = try await bench.read(SimulatedLoginTests.yahoo)
                #expect(reason.isEmpty)
            } catch let refusal as AuthorizationRefusal {
                #expect(refusal.reason.rawValue == reason)
            }
        }
    }

    @Test(arguments: [
        ("no-id-token", "missing_member"), ("token-type-mac", "token_type_unsupported"), ("expires-in-text", ""),
        ("member-twice", "malformed_response"), ("error-with-200", "provider_error"), ("too-long", "too_large"),
    ])
    func `spoils its tokens as a tester wants`(_ flaw: String, _ reason: String) async throws {
        try await withProviders { bench in
            let face = SimulatedLoginTests.yahoo
            try await bench.control("POST", "/flaws", ["at": "token", "do": .string(flaw)])
            let code = try #require(try await bench.read(face).code?.reveal())
            let response = try await bench.exchange(face, code)
            do throws(TokenRefusal) {
                _ = try LoginBench.tokens(response)
                #expect(reason.isEmpty)
            } catch {
                #expect(error.reason.rawValue == reason)
            }
        }
    }

    @Test func `takes a code once, from its client, with its verifier and address`() async throws {
        try await withProviders { bench in
            let face = SimulatedLoginTests.yahoo
            let used = try #require(try await bench.read(face).code?.reveal())
            #expect(try await bench.exchange(face, used).status == 200)
            let others = try await [bench.read(face), bench.read(face)].map { try #require($0.code?.reveal()) }
            let plain = try #require(ProviderFace.all.last)
            let refused = [
                try await bench.exchange(face, used), try await bench.exchange(face, "unknown1"),
                try await bench.exchange(face, others[0], verifier: String(repeating: "x", count: 43)),
                try await bench.exchange(plain, others[1]),
            ]
            for answer in refused {
                #expect(answer.status == 400)
                #expect(try JSONParser.parse(answer.body)["error"] == "invalid_grant")
            }
        }
    }

    @Test func `asks a client for its secret`() async throws {
        try await withProviders { bench in
            let face = SimulatedLoginTests.yahoo
            let code = try #require(try await bench.read(face).code?.reveal())
            let proofs: [ClientProof] = [.none, .basic(Secret("wrong")), .form(Secret("wrong"))]
            for proof in proofs {
                let client = (id: LoginBench.server.id, proof: proof)
                let request = TokenRequest.exchange(
                    Secret(code),
                    redirect: LoginBench.redirect,
                    verifier: nil,
                    by: client
                )
                let answer = try await bench.ask(face, request)
                #expect(answer.status == 401)
                #expect(try JSONParser.parse(answer.body)["error"] == "invalid_client")
            }
            #expect(try await bench.exchange(face, code).status == 200)
            #expect(try await bench.send("GET", face.base + face.token).status == 405)
        }
    }

    @Test func `refreshes until the user takes the consent back`() async throws {
        try await withProviders { bench in
            let face = SimulatedLoginTests.yahoo
            let code = try #require(try await bench.read(face).code?.reveal())
            let first = try LoginBench.tokens(try await bench.exchange(face, code))
            let refresh = TokenRequest.refresh(try #require(first.refreshToken), by: try bench.proof(face))
            let second = try LoginBench.tokens(try await bench.ask(face, refresh), .refresh)
            #expect(second.refreshToken == nil && second.idToken == nil)
            try await bench.control(
                "POST",
                "/consent/withdraw",
                ["user": "hanako", "client": .string(LoginBench.server.id)]
            )
            let answer = try await bench.ask(face, refresh)
            do throws(TokenRefusal) {
                _ = try LoginBench.tokens(answer, .refresh)
                Issue.record("A consent that was taken back gives tokens.")
            } catch {
                #expect(error.action == .forgetAndLogin)
            }
            let fields = [("authorization", "Bearer " + second.accessToken.reveal())]
            let claims = try await bench.send("GET", "/yconnect/v2/attribute", fields: fields)
            #expect(claims.status == 401)
            #expect(claims.first("www-authenticate")?.contains("invalid_token") == true)
        }
    }

    @Test func `publishes its keys, changes them, and keeps a name for another key where a tester wants`() async throws
    {
        try await withProviders { bench in
            let face = SimulatedLoginTests.yahoo
            let before = try await bench.keys(face)
            #expect(before.entries.count == 2)
            let document = try await bench.send("GET", "/yconnect/v2/public-keys").body
            let map = try JSONWebKeySet(pemMap: document)
            #expect(map.entries.map(\.keyID) == before.entries.map(\.keyID))
            let changed = try await bench.control("POST", "/keys", ["op": "rotate"])
            #expect(changed["keys"]?.elements.count == 3)
            let code = try #require(try await bench.read(face).code?.reveal())
            let token = try #require(try LoginBench.tokens(try await bench.exchange(face, code)).idToken?.reveal())
            let old = IDTokenKeys.published(before, allowing: [.rs256])
            let judged = try await bench.judge(face, token, with: old)
            #expect(throws: IDTokenRefusal.keyUnknown) { try judged.get() }
            _ = try await bench.judge(face, token).get()
            let current = try await bench.keys(face)
            try await bench.control("POST", "/keys", ["op": "swap-same-kid"])
            let next = try #require(try await bench.read(face).code?.reveal())
            let other = try #require(try LoginBench.tokens(try await bench.exchange(face, next)).idToken?.reveal())
            let kept = IDTokenKeys.published(current, allowing: [.rs256])
            let swapped = try await bench.judge(face, other, with: kept)
            #expect(throws: IDTokenRefusal.badSignature) { try swapped.get() }
        }
    }

    @Test(arguments: ProviderFace.all.map(\.name))
    func `has a discovery document that is accepted`(_ name: String) async throws {
        try await withProviders { bench in
            let face = try #require(ProviderFace.all.first { $0.name == name })
            var demand = ProviderDemand(issuer: bench.issuer(face), type: .code, algorithms: [.rs256, .es256])
            demand.allowsPrivate = true
            let path = String(demand.address.dropFirst(bench.origin.count))
            let read = { () async throws -> DiscoveryRefusal? in
                let answer = try await bench.send("GET", path)
                do throws(DiscoveryRefusal) {
                    _ = try ProviderMetadata(reading: answer.body, for: demand)
                    return nil
                } catch {
                    return error
                }
            }
            #expect(try await read() == nil)
            try await bench.control("POST", "/flaws", ["at": "discovery", "do": "discovery-member-missing"])
            #expect(try await read() == .memberMissing)
            try await bench.control("POST", "/flaws", ["at": "discovery", "do": "discovery-http"])
            #expect(try await read() == .insecureEndpoint)
        }
    }

    @Test func `sends nobody to an address that is not registered`() async throws {
        try await withProviders { bench in
            let face = SimulatedLoginTests.yahoo
            let good = bench.request(face)
            for (old, new) in [("client_id=server-", "client_id=other"), ("callback", "callbacks")] {
                let answer = try await bench.send("GET", good.replacing(old, with: new))
                #expect(answer.status == 400)
                #expect(answer.first("location") == nil)
            }
        }
    }

    @Test(arguments: [
        ("scope=openid", "scope=email", "invalid_scope"),
        ("response_type=code", "response_type=cod", "unsupported_response_type"),
        ("code_challenge_method=S256", "code_challenge_method=plain", "invalid_request"),
        ("&state=", "&max_age=x&state=", "invalid_request"),
        ("&state=", "&prompt=none%20login&state=", "invalid_request"),
        ("&state=", "&prompt=none&state=", "login_required"),
    ])
    func `answers a bad request by an error to the client`(_ old: String, _ new: String, _ error: String) async throws {
        try await withProviders { bench in
            let face = SimulatedLoginTests.yahoo
            let answer = try await bench.send("GET", bench.request(face).replacing(old, with: new))
            let location = try #require(answer.first("location"))
            let context = LoginBench.context(face, .code, issuer: bench.issuer(face))
            do throws(AuthorizationRefusal) {
                _ = try AuthorizationAnswer(url: location, context)
                Issue.record("The answer is good.")
            } catch let refusal {
                #expect(refusal.error?.code == error)
            }
        }
    }

    @Test func `tells a user who declines from one who cancels, as each provider does`() async throws {
        try await withProviders { bench in
            let face = SimulatedLoginTests.yahoo
            let context = LoginBench.context(face, .code, issuer: bench.issuer(face))
            let reason = { (response: InboundResponse) -> String? in
                guard let location = response.first("location") else { return nil }
                do throws(AuthorizationRefusal) {
                    _ = try AuthorizationAnswer(url: location, context)
                    return "good"
                } catch {
                    return error.error?.code ?? error.reason.rawValue
                }
            }
            let bailing = bench.request(face, extra: [("bail", "1")])
            let declined = try await bench.answer(bailing, action: "decline")
            let lost = try await bench.answer(bench.request(face), action: "decline")
            let cancelled = try await bench.answer(bench.request(face), action: "cancel")
            #expect([declined, lost, cancelled].map(reason) == ["user_cancelled", nil, "access_denied"])
        }
    }

    @Test func `has pages on which a user logs in, agrees, and is known from then on`() async throws {
        try await withProviders { bench in
            let face = SimulatedLoginTests.yahoo
            let page = { (response: InboundResponse) in String(decoding: response.body, as: UTF8.self) }
            let first = try await bench.send("GET", bench.request(face))
            let mark = "name=\"request\" value=\""
            let id = String(try #require(page(first).split(separator: mark).last).prefix(32))
            let form = [("content-type", "application/x-www-form-urlencoded")]
            let step = { (fields: String, cookie: String) in
                let body = Array("request=\(id)&\(fields)".utf8)
                return try await bench.send("POST", face.base + "/step", body, fields: form + [("cookie", cookie)])
            }
            let wrong = try await step("action=login&user=hanako&password=wrong", "a=b")
            #expect(page(wrong).contains("id=\"complaint\""))
            let consent = try await step("action=login&user=hanako&password=x", "a=b")
            let cookie = String(try #require(consent.first("set-cookie")).prefix { $0 != ";" })
            #expect(page(consent).contains("<strong id=\"user\">hanako</strong>"))
            let answer = try await step("action=agree", cookie)
            #expect(answer.status == 302)
            let again = try await bench.send("GET", bench.request(face), fields: [("cookie", cookie)])
            #expect(again.first("location")?.contains("code=") == true)
            let fresh = bench.request(face, extra: [("prompt", "login")])
            #expect(try await bench.send("GET", fresh, fields: [("cookie", cookie)]).status == 200)
        }
    }

    @Test func `answers by a form where Apple does`() async throws {
        try await withProviders { bench in
            let apple = try #require(ProviderFace.all.first { $0.name == "apple" })
            let answer = try await bench.answer(bench.request(apple, scope: "openid email"))
            let page = String(decoding: answer.body, as: UTF8.self)
            #expect(answer.status == 200)
            #expect(page.contains("action=\"\(LoginBench.redirect)\""))
            #expect(page.contains("name=\"state\" value=\"\(LoginBench.state)\""))
        }
    }

    @Test func `names what was asked without a secret, and begins anew`() async throws {
        try await withProviders { bench in
            let face = SimulatedLoginTests.yahoo
            let code = try #require(try await bench.read(face).code?.reveal())
            _ = try await bench.exchange(face, code)
            let log = try await bench.control("GET", "/log")
            let entries = log["entries"]?.elements ?? []
            #expect(entries.compactMap { $0["operation"]?.text } == ["authorization", "token"])
            #expect(!log.description.contains(code) && !log.description.contains(LoginBench.verifier))
            try await bench.control("POST", "/reset")
            #expect(try await bench.control("GET", "/log")["entries"]?.elements.isEmpty == true)
            #expect(try await bench.exchange(face, code).status == 400)
        }
    }
}
