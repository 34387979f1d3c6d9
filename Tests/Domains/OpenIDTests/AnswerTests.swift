import Cryptography
import Foundation
import JOSE
import OpenID
import Primitives
import StrictJSON
import TestKit
import Testing

@Suite("An answer of the authorization endpoint")
struct AuthorizationAnswerTests {
    private static func context(_ settings: JSONValue) throws -> AuthorizationContext {
        var context = AuthorizationContext(
            try #require(ResponseType(try OpenIDVectors.text(settings, "response_type"))),
            mode: settings["response_mode"]?.text.flatMap { AuthorizationContext.Mode(rawValue: $0) },
            redirect: try OpenIDVectors.text(settings, "redirect_uri"),
            state: .text(try OpenIDVectors.text(settings, "state")),
            issuer: try OpenIDVectors.text(settings, "issuer")
        )
        context.needsIssuer = settings["require_iss_parameter"]?.flag ?? false
        return context
    }

    @Test func `is read as the vectors say, with their reasons`() throws {
        for item in try OpenIDVectors.cases("callback.json", count: 43) {
            let context = try AuthorizationAnswerTests.context(try #require(item["settings"]))
            do throws(AuthorizationRefusal) {
                let answer =
                    if let url = item["url"]?.text { try AuthorizationAnswer(url: url, context) } else {
                        try AuthorizationAnswer(received: item["form_body"]?.text ?? "", context)
                    }
                OpenIDVectors.expect(nil, item)
                for member in item["parsed"]?.members ?? [] {
                    #expect(
                        AuthorizationAnswerTests.read(member.name, answer) == member.value,
                        "\(item["id"]?.text ?? "")"
                    )
                }
            } catch {
                OpenIDVectors.expect(error.reason.rawValue, item)
                #expect(item["parsed"]?["error"]?.text == (item["parsed"] == nil ? nil : error.error?.code))
                #expect(
                    item["parsed"]?["error_code"]?.text.flatMap { Int($0) }
                        == (item["parsed"]?["error_code"] == nil ? nil : error.error?.number)
                )
            }
        }
    }

    private static func read(_ name: String, _ answer: AuthorizationAnswer) -> JSONValue {
        switch name {
        case "code": JSONValue(answer.code?.reveal())
        case "id_token": JSONValue(answer.idToken?.reveal())
        case "access_token": JSONValue(answer.accessToken?.reveal())
        case "expires_in": answer.expiresIn.map { JSONValue($0) } ?? .null
        default: .string("unknown member")
        }
    }

    private static let usual = AuthorizationContext(
        .code,
        redirect: "https://shop.example/login/callback/yahoo",
        state: .text("s"),
        issuer: "https://op.example"
    )

    private static func refusal(_ received: String) -> AuthorizationRefusal? {
        do throws(AuthorizationRefusal) {
            _ = try AuthorizationAnswer(received: received, usual)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "", "state=", "state=x&code=c", "state=s&state=s&code=c", "code=%", "error=access_denied",
        "error=access_denied&state=x", "state=s&code=c&iss=https://other.example", "a=%zz&state=s&code=c",
    ])
    func `that is not of its login does not end it`(_ received: String) throws {
        #expect(try #require(AuthorizationAnswerTests.refusal(received)).isOfLogin == false)
    }

    @Test(arguments: [
        ("state=s", "user_cancelled"), ("state=s&error=access_denied", "provider_error"),
        ("state=s&code=c&access_token=t", "unexpected_parameter"),
    ])
    func `that is of its login may end it`(_ received: String, _ reason: String) throws {
        let refusal = try #require(AuthorizationAnswerTests.refusal(received))
        #expect(refusal.reason.rawValue == reason)
        #expect(refusal.isOfLogin)
    }

    @Test func `has errors whose texts are cleaned, and which say what is done`() throws {
        let text = "state=s&error=%3Cscript%3E%20a&error_description=%3Cb%3E%C3%BC" + String(repeating: "x", count: 99)
        let error = try #require(AuthorizationAnswerTests.refusal(text)?.error)
        #expect(error.code == "unknown")
        #expect(error.detail == "<b>" + String(repeating: "x", count: 61))
        #expect(error.number == nil)
        let steps = [
            ("access_denied", ProviderError.Step.cancelled), ("user_cancelled_authorize", .cancelled),
            ("login_required", .interact), ("consent_required", .interact), ("server_error", .retryLater),
            ("temporarily_unavailable", .retryLater), ("invalid_scope", .configuration), ("anything", .configuration),
        ]
        for (word, step) in steps {
            #expect(AuthorizationAnswerTests.refusal("state=s&error=" + word)?.error?.step == step, "\(word)")
        }
    }

    @Test func `is compared with a state that is kept as its hash`() throws {
        let context = AuthorizationContext(
            .code,
            redirect: "yj-a:/",
            state: .digest(SHA256.digest(of: Array("s".utf8))),
            issuer: "https://op.example"
        )
        #expect(try AuthorizationAnswer(url: "YJ-A:/?code=c&state=s", context).code?.reveal() == "c")
        #expect(throws: AuthorizationRefusal.self) {
            try AuthorizationAnswer(url: "yj-a:/?code=c&state=t", context)
        }
    }
}

@Suite("An answer of the token endpoint")
struct TokenAnswerTests {
    @Test func `is read as the vectors say, with their actions`() throws {
        for item in try OpenIDVectors.cases("token_response.json", count: 33) {
            let id = item["id"]?.text ?? ""
            let http = try #require(item["http"])
            let expected = item["expect"]
            do throws(TokenRefusal) {
                let answer = try TokenAnswer(
                    status: http["status"]?.integer ?? 0,
                    contentType: http["content_type"]?.text,
                    body: Array((http["body"]?.text ?? "").utf8),
                    for: item["grant"] == "refresh_token" ? .refresh : .code
                )
                OpenIDVectors.expect(nil, item)
                let members = expected?.members.map(\.name) ?? []
                if members.contains("expires_in") {
                    #expect(answer.life == expected?["expires_in"]?.integer.map { .seconds($0) }, "\(id)")
                }
                if members.contains("refresh_token") {
                    let kept = answer.refreshToken?.reveal() ?? item["stored"]?["refresh_token"]?.text
                    #expect(kept == expected?["refresh_token"]?.text, "\(id)")
                }
            } catch {
                OpenIDVectors.expect(error.reason.rawValue, item)
                #expect(error.action.rawValue == item["action"]?.text, "\(id)")
                if let word = expected?["error"]?.text { #expect(error.error?.code == word, "\(id)") }
                if let number = expected?["error_code"]?.integer { #expect(error.error?.number == number, "\(id)") }
            }
        }
    }

    private static func refusal(_ status: Int, _ body: String, _ grant: TokenGrant) -> TokenRefusal? {
        do throws(TokenRefusal) {
            _ = try TokenAnswer(status: status, contentType: "application/json", body: Array(body.utf8), for: grant)
            return nil
        } catch {
            return error
        }
    }

    @Test func `never has a refresh token forgotten for an unknown reason`() {
        let body = #"{"error":"something_new"}"#
        #expect(TokenAnswerTests.refusal(400, body, .refresh)?.action == .configurationError)
        #expect(TokenAnswerTests.refusal(503, body, .refresh)?.action == .retryLater)
        #expect(TokenAnswerTests.refusal(400, body, .code)?.action == .restartLogin)
        #expect(TokenAnswerTests.refusal(400, #"{"error":"Invalid_Token"}"#, .refresh)?.action == .forgetAndLogin)
    }

    @Test func `is bounded, and its life is`() throws {
        let long = #"{"a":""# + String(repeating: "x", count: TokenAnswer.limit) + #""}"#
        #expect(TokenAnswerTests.refusal(200, long, .code)?.reason == .tooLarge)
        #expect(TokenAnswerTests.refusal(200, long, .refresh)?.action == .retryLater)
        let body = #"{"access_token":"a","token_type":"bearer","expires_in":99999999999}"#
        let answer = try TokenAnswer(status: 200, contentType: nil, body: Array(body.utf8), for: .refresh)
        #expect(answer.life == .seconds(90 * 86_400))
        #expect(answer.idToken == nil)
    }
}

@Suite("Claims of a userinfo endpoint")
struct UserInfoTests {
    @Test func `are read as the vectors say`() throws {
        for item in try OpenIDVectors.cases("userinfo.json", count: 20) {
            let id = item["id"]?.text ?? ""
            let http = try #require(item["http"])
            let expected = item["expect"]
            do throws(UserInfoRefusal) {
                let info = try UserInfo(
                    status: http["status"]?.integer ?? 0,
                    challenge: http["headers"]?["WWW-Authenticate"]?.text,
                    body: Array((http["body"]?.text ?? "").utf8),
                    of: item["id_token_sub"]?.text ?? ""
                )
                OpenIDVectors.expect(nil, item)
                for member in expected?.members ?? [] {
                    #expect(UserInfoTests.read(member.name, info) == member.value, "\(id): \(member.name)")
                }
            } catch {
                OpenIDVectors.expect(error.reason.rawValue, item)
                if let action = item["action"]?.text { #expect(error.action.rawValue == action, "\(id)") }
                if let word = expected?["error"]?.text { #expect(error.error == word, "\(id)") }
            }
        }
    }

    private static func read(_ path: String, _ info: UserInfo) -> JSONValue {
        if path == "email_verified" { return .bool(info.isEmailVerified) }
        return path.split(separator: ".").reduce(.object(info.claims)) { $0[String($1)] ?? .null }
    }

    @Test func `are dropped where they are of another type or unknown`() throws {
        let body =
            #"{"sub":"s","picture":"http://a.example/p","address":{"country":1,"x":"y"},"role":"admin","email":"a@b"}"#
        let info = try UserInfo(status: 200, challenge: nil, body: Array(body.utf8), of: "s")
        #expect(info.claims.map(\.name) == ["sub", "email"])
        #expect(!info.isEmailVerified)
    }
}

@Suite("Two ID tokens of one login")
struct HybridTests {
    @Test func `are judged together as the vectors say`() throws {
        let document = try OpenIDVectors.document("hybrid_pairs.json")
        let profile = try #require(document["profile"])
        let clock = try #require(document["clock"])
        let keys: JSONValue = .object([JSONMember("one", try #require(document["keys"]))])
        for item in try OpenIDVectors.cases("hybrid_pairs.json", count: 13) {
            let type = try #require(ResponseType(try OpenIDVectors.text(item, "response_type")))
            let judge = { (answer: JSONValue, channel: String, code: String?) throws -> (IDTokenClaims?, String?) in
                var context = [
                    JSONMember("channel", .string(channel)), JSONMember("now", clock), JSONMember("keys", "one"),
                    JSONMember("response_type", .string(type.text)),
                ]
                if let code { context.append(JSONMember("code", .string(code))) }
                if let token = answer["access_token"] { context.append(JSONMember("access_token", token)) }
                let setting = try IDTokenCase(profile, .object(context), documents: keys)
                guard let token = answer["id_token"]?.text else { return (nil, "missing_member") }
                do throws(IDTokenRefusal) {
                    return (
                        try IDTokenJudge(setting.rules)
                            .judge(token, of: setting.login, with: setting.keys, at: setting.now), nil
                    )
                } catch {
                    return (nil, error.rawValue)
                }
            }
            let front = try #require(item["front"])
            let code = front["code"]?.text
            var (claims, reason): (IDTokenClaims?, String?) = (nil, nil)
            var stage = "authorization"
            if type.contains(.idToken) { (claims, reason) = try judge(front, "authorization", code) }
            if reason == nil {
                stage = "token"
                let sent = item["code_sent_to_token_endpoint"]?.text ?? code
                let (own, other) = try judge(try #require(item["back"]), "token", sent)
                reason = other
                if let own, let front = claims { reason = HybridTests.mismatch(own, front) }
            }
            OpenIDVectors.expect(reason, item)
            if let fails = item["fails_at"]?.text { #expect(stage == fails, "\(item["id"]?.text ?? "")") }
        }
    }

    private static func mismatch(_ back: IDTokenClaims, _ front: IDTokenClaims) -> String? {
        do throws(HybridMismatch) {
            try back.check(against: front)
            return nil
        } catch {
            return error.rawValue
        }
    }
}
