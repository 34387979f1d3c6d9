import Cryptography
import Foundation
import JOSE
import OpenID
import Primitives
import StrictJSON
import TestKit
import Testing

@Suite("A discovery document")
struct DiscoveryTests {
    @Test func `is accepted or refused as the vectors say`() throws {
        for item in try OpenIDVectors.cases("discovery.json", count: 22) {
            let algorithms = (item["allowed_algs"]?.elements ?? []).compactMap {
                $0.text.flatMap { JWSAlgorithm(rawValue: $0) }
            }
            let demand = ProviderDemand(
                issuer: try OpenIDVectors.text(item, "configured_issuer"),
                type: try #require(ResponseType(try OpenIDVectors.text(item, "wanted_response_type"))),
                algorithms: Set(algorithms)
            )
            do throws(DiscoveryRefusal) {
                let document = item["document"]?.text ?? ""
                let found = try ProviderMetadata(reading: Array(document.utf8), for: demand)
                OpenIDVectors.expect(nil, item)
                for member in item["expect"]?.members ?? [] {
                    #expect(DiscoveryTests.read(member.name, found) == member.value, "\(item["id"]?.text ?? "")")
                }
            } catch {
                OpenIDVectors.expect(error.rawValue, item)
            }
        }
    }

    private static func read(_ name: String, _ found: ProviderMetadata) -> JSONValue {
        switch name {
        case "token_endpoint": .string(found.token)
        case "userinfo_endpoint": JSONValue(found.userInfo)
        case "authorization_endpoint": .string(found.authorization)
        case "client_auth": .string(found.clientProof.rawValue)
        case "algs": .array(found.algorithms.map { .string($0.rawValue) })
        case "require_iss_parameter": .bool(found.namesIssuer)
        case "pkce": .string(found.takesProofKey ? "S256" : "none")
        default: .string("unknown member")
        }
    }

    @Test func `is read at the address of its issuer`() throws {
        let rows = try OpenIDVectors.document("discovery.json")["well_known"]?.elements ?? []
        #expect(rows.count == 4)
        for row in rows {
            let demand = ProviderDemand(
                issuer: try OpenIDVectors.text(row, "issuer"),
                type: .code,
                algorithms: [.rs256]
            )
            #expect(demand.address == row["url"]?.text)
        }
    }

    private static func refusal(_ endpoint: String, allowsPrivate: Bool = false) -> DiscoveryRefusal? {
        var demand = ProviderDemand(issuer: "https://op.example", type: .code, algorithms: [.rs256])
        demand.allowsPrivate = allowsPrivate
        let document: JSONValue = [
            "issuer": "https://op.example", "authorization_endpoint": "https://op.example/a",
            "token_endpoint": .string(endpoint), "jwks_uri": "https://op.example/k",
            "response_types_supported": ["code"], "id_token_signing_alg_values_supported": ["RS256"],
        ]
        do throws(DiscoveryRefusal) {
            _ = try ProviderMetadata(reading: document.bytes, for: demand)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "https://127.0.0.1/t", "https://[::1]/t", "https://169.254.169.254/t", "https://10.1.2.3/t",
        "https://192.168.0.1/t", "https://[fd00::1]/t", "https://localhost/t", "https://op.localhost/t",
        "https://database/t", "https://op.internal/t", "https://[::ffff:10.0.0.1]/t",
    ])
    func `names no endpoint inside our networks, except for tests`(_ endpoint: String) {
        #expect(DiscoveryTests.refusal(endpoint) == .privateAddress)
        #expect(DiscoveryTests.refusal(endpoint, allowsPrivate: true) == nil)
    }

    @Test func `names no endpoint without TLS, except on this machine for tests`() {
        #expect(DiscoveryTests.refusal("http://op.example/t") == .insecureEndpoint)
        #expect(DiscoveryTests.refusal("http://op.example/t", allowsPrivate: true) == .insecureEndpoint)
        #expect(DiscoveryTests.refusal("http://127.0.0.1:9444/t", allowsPrivate: true) == nil)
        #expect(DiscoveryTests.refusal("https://user@op.example/t") == .malformedEndpoint)
        #expect(DiscoveryTests.refusal("https://op.example/t#f") == .malformedEndpoint)
    }
}

@Suite("A preset of a provider")
struct ProviderPresetTests {
    @Test func `is found by its word`() throws {
        #expect(ProviderPreset.all.map(\.name) == ["yahoo", "line", "google", "apple"])
        #expect(ProviderPreset(named: "Yahoo") == nil)
        for preset in ProviderPreset.all { #expect(ProviderPreset(named: preset.name)?.metadata == preset.metadata) }
    }

    @Test func `has endpoints that a discovery document would be accepted with`() throws {
        for preset in ProviderPreset.all {
            let own = preset.metadata
            let document: JSONValue = [
                "issuer": .string(own.issuer), "authorization_endpoint": .string(own.authorization),
                "token_endpoint": .string(own.token), "jwks_uri": .string(own.keys),
                "userinfo_endpoint": JSONValue(own.userInfo), "revocation_endpoint": JSONValue(own.revocation),
                "response_types_supported": ["code"],
                "id_token_signing_alg_values_supported": .array(own.algorithms.map { .string($0.rawValue) }),
                "token_endpoint_auth_methods_supported": [.string(own.clientProof.rawValue)],
                "code_challenge_methods_supported": ["S256"],
            ]
            let demand = ProviderDemand(issuer: own.issuer, type: .code, algorithms: own.algorithms)
            #expect(try ProviderMetadata(reading: document.bytes, for: demand) == own, "\(preset.name)")
        }
    }
}

@Suite("Requests to a provider")
struct ProviderRequestTests {
    @Test func `prove a code as the vectors say`() throws {
        for item in try OpenIDVectors.cases("pkce.json", count: 13) {
            do throws(ProofKey.Refusal) {
                try ProofKey.check(
                    item["verifier"]?.text ?? "",
                    against: item["challenge"]?.text ?? "",
                    method: item["method"]?.text ?? ""
                )
                OpenIDVectors.expect(nil, item)
            } catch {
                OpenIDVectors.expect(error.rawValue, item)
            }
        }
    }

    @Test func `send the user to the endpoint, whose own query stays`() {
        var request = AuthorizationRequest(
            [.idToken, .code],
            clientID: "dj00-",
            redirect: "yj-a:/",
            scope: "openid address",
            state: "s",
            nonce: "n"
        )
        request.verifier = Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        request.extra = [("max_age", "3600"), ("display", "touch&go")]
        #expect(
            request.url(at: "https://op.example/a?tenant=1")
                == "https://op.example/a?tenant=1&response_type=code%20id_token&client_id=dj00-&redirect_uri=yj-a%3A%2F"
                + "&scope=openid%20address&state=s&nonce=n"
                + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
                + "&max_age=3600&display=touch%26go"
        )
    }

    @Test func `show the client's secret in one place alone`() {
        let client = (id: "a b", proof: ClientProof.basic(Secret("s:ü")))
        let request = TokenRequest.exchange(Secret("c+/"), redirect: "https://a/", verifier: Secret("v"), by: client)
        #expect(request.authorization?.reveal() == "Basic " + Base64.encode(Array("a%20b:s%3A%C3%BC".utf8)))
        #expect(
            request.form.reveal()
                == "grant_type=authorization_code&code=c%2B%2F&redirect_uri=https%3A%2F%2Fa%2F&code_verifier=v"
        )
        let form = TokenRequest.refresh(Secret("r"), by: (id: "a", proof: .form(Secret("s"))))
        #expect(form.authorization == nil)
        #expect(form.form.reveal() == "grant_type=refresh_token&refresh_token=r&client_id=a&client_secret=s")
        let open = TokenRequest.refresh(Secret("r"), by: (id: "a", proof: .none))
        #expect(open.form.reveal() == "grant_type=refresh_token&refresh_token=r&client_id=a")
    }

    @Test func `to Apple have a secret that is signed anew`() throws {
        let key = try ES256PrivateKey(pem: try ES256PrivateKey.generatePEM())
        let maker = SignedClientSecret(key: key, keyID: "K", team: "TEAM")
        let secret = try maker.make(for: "com.example", at: "https://appleid.apple.com", now: WallTime(seconds: 1_000))
        let text = try CompactJWS(secret.reveal())
        try text.verify(with: JWSVerificationKey(of: key), allowing: [.es256])
        #expect(text.header.keyID == "K")
        #expect(
            text.payload == [
                "iss": "TEAM", "iat": 1_000, "exp": 1_300, "aud": "https://appleid.apple.com", "sub": "com.example",
            ]
        )
    }
}

@Suite("The life of a provider's keys")
struct KeySetLifeTests {
    private static let start = WallTime(seconds: 1_000_000)

    @Test(
        arguments: [
            ("public, max-age=3600", nil, 3_600), ("max-age=5", nil, 300), ("max-age=9999999", nil, 86_400),
            ("max-age=99999999999999999999", 7_200, 7_200), (nil, 7_200, 7_200), (nil, -5, 300), (nil, nil, 900),
            ("no-store", nil, 900), (#"Max-Age="600""#, nil, 600), ("s-maxage=60", nil, 900), ("", nil, 900),
        ] as [(String?, Int64?, Int64)]
    )
    func `is what its fields say, within bounds`(_ field: String?, _ expires: Int64?, _ seconds: Int64) {
        let end = expires.map { WallTime(seconds: KeySetLifeTests.start.seconds + $0) }
        let life = KeySetLife(readAt: KeySetLifeTests.start, cacheControl: field, expires: end)
        #expect(life.life == .seconds(seconds))
    }

    @Test func `is refreshed ahead, and an old set serves a day beyond it`() {
        let life = KeySetLife(readAt: KeySetLifeTests.start, cacheControl: "max-age=1000", expires: nil)
        let at = { (seconds: Int64) in WallTime(seconds: KeySetLifeTests.start.seconds + seconds) }
        #expect(life.refreshAt(jitter: 0) == at(800))
        #expect(life.refreshAt(jitter: 1) == at(700))
        #expect(!life.isOver(at: at(999)))
        #expect(life.isOver(at: at(1_000)))
        #expect(life.mayServe(at: at(1_000 + 86_399)))
        #expect(!life.mayServe(at: at(1_000 + 86_400)))
    }

    @Test func `is ended by what is unknown once in a minute at most`() {
        var gate = KeySetGate()
        let at = { (seconds: Int64) in WallTime(seconds: KeySetLifeTests.start.seconds + seconds) }
        var passed = 0
        for second in 0..<60 where gate.pass(at: at(Int64(second))) { passed += 1 }
        #expect(passed == 1)
        // The last one after a clock that was put back.
        let later = [at(61), at(0), at(1)].map { gate.pass(at: $0) }
        #expect(later == [true, true, false])
    }
}
