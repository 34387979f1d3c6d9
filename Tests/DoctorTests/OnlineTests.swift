import Cryptography
import Doctor
import HTTPCore
import Operations
import Primitives
import TestKit
import Testing

/// Answers by URL; what is not there cannot be reached.
private final class Surroundings: HTTPExchange {
    var answers: [String: InboundResponse] = [:]
    private(set) var asked: [OutboundRequest] = []
    /// By URL.
    var certificates: [String: [UInt8]] = [:]
    let clock = ManualClock(at: present)
    /// How long each question takes.
    var pause = Duration.zero

    var ways: OnlineChecks.Ways {
        OnlineChecks.Ways(hosts: self, provider: self, world: self, certificate: { self.certificates[$0] })
    }

    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        asked.append(request)
        defer { clock.advance(by: pause) }
        if request.fields.contains(where: { $0 == ("Host", "unknown.invalid") }) { return InboundResponse(status: 421) }
        guard let answer = answers[request.url] else {
            throw HTTPExchangeError(.connectFailed, detail: "Couldn't connect to server")
        }
        return answer
    }
}

@Suite("The surroundings of a deployment")
struct OnlineTests {
    private static let web = "https://pay.example.com"
    private static let link = "https://pay-links.example.com"
    private static let apple = "/.well-known/apple-app-site-association"
    private static let android = "/.well-known/assetlinks.json"
    private static let session = "https://pay-api.amazon.jp/v2/checkoutSessions/00000000-0000-4000-8000-000000000000"
    private static let appleList = "https://app-site-association.cdn-apple.com/a/v1/pay-links.example.com"
    private static let googleList =
        "https://digitalassetlinks.googleapis.com/v1/statements:list?source.web.site=https://pay-links.example.com"
        + "&relation=delegate_permission/common.handle_all_urls"
    private static let androidFile = Array("[]".utf8)

    private static let fields = [
        ("Strict-Transport-Security", "max-age=63072000; includeSubDomains"), ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"), ("Permissions-Policy", "camera=()"), ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Content-Security-Policy", "default-src 'none'; script-src 'nonce-abc'; frame-ancestors 'none'"),
    ]

    /// The fields with another value of one of them; without it for `nil`.
    private static func fields(_ name: String, _ value: String?) -> [(String, String)] {
        fields.compactMap { field in field.0 == name ? value.map { (name, $0) } : field }
    }

    private static func facts() throws -> SettingFacts {
        var facts = try SettingFacts.sound()
        facts.pages = [
            SettingFacts.Page(isLink: false, path: "/browser/cart", fields: fields),
            SettingFacts.Page(isLink: true, path: "/index.html", fields: fields),
        ]
        return facts
    }

    private static func json(_ body: [UInt8]) -> InboundResponse {
        InboundResponse(status: 200, fields: [("Content-Type", "application/json")], body: body)
    }

    /// A world in which all is well.
    private static func sound(_ facts: SettingFacts) throws -> Surroundings {
        let surroundings = Surroundings()
        let file = try facts.appleFile()
        let page = InboundResponse(status: 200, fields: fields)
        let certificate = try Material.certificate().certificatePEM
        surroundings.certificates = [web + "/": certificate, link + "/": certificate]
        let statements = #"{"statements":[{"target":{"androidApp":{"packageName":"com.example.shop"}}}]}"#
        surroundings.answers = [
            web + "/": page, link + "/": page, web + "/browser/cart": page, web + "/error": page,
            link + "/index.html": page, link + apple: json(file), link + "/apple-app-site-association": json(file),
            link + android: json(androidFile), web + apple: InboundResponse(status: 404),
            web + android: InboundResponse(status: 404), appleList: json(file),
            googleList: json(Array(statements.utf8)),
            session: InboundResponse(
                status: 404,
                fields: [("Date", "Sat, 14 Mar 2026 01:59:27 GMT")],
                body: Array(#"{"reasonCode":"ResourceNotFound"}"#.utf8)
            ),
        ]
        return surroundings
    }

    private func lines(_ change: (Surroundings) throws -> Void = { _ in }) async throws -> [String] {
        let facts = try OnlineTests.facts()
        let surroundings = try OnlineTests.sound(facts)
        try change(surroundings)
        let files = OnlineChecks.Files(apple: try facts.appleFile(), android: OnlineTests.androidFile)
        let checks = OnlineChecks(facts, files: files, ways: surroundings.ways, clock: surroundings.clock)
        let report = Report(await checks.findings())
        #expect(surroundings.asked.allSatisfy { ["GET", "HEAD"].contains($0.method) })
        return report.findings.map { "\($0.check) \($0.severity.rawValue) \($0.subject): \($0.message)" }
    }

    @Test func `in which all is well give no finding`() async throws {
        #expect(try await lines() == [])
    }

    @Test func `are asked without cookies, and the provider with a signature over the mandatory headers`() async throws
    {
        let facts = try SettingFacts.sound()
        let surroundings = try OnlineTests.sound(facts)
        let files = OnlineChecks.Files(apple: nil, android: nil)
        _ = await OnlineChecks(facts, files: files, ways: surroundings.ways, clock: surroundings.clock).findings()
        let names = surroundings.asked.flatMap { $0.fields.map { $0.0.lowercased() } }
        #expect(!names.contains("cookie"))
        let question = try #require(surroundings.asked.last { $0.url == OnlineTests.session })
        let authorization = try #require(question.fields.first { $0.0 == "authorization" }?.1)
        #expect(authorization.contains("PublicKeyId=SANDBOX-EXAMPLEKEY00000000000001, "))
        #expect(
            authorization.contains("SignedHeaders=accept;content-type;x-amz-pay-date;x-amz-pay-host;x-amz-pay-region")
        )
    }

    /// What an answer is replaced by (`nil` for none), and what the finding begins with.
    static let changes: [(String, InboundResponse?, String)] = [
        (link + "/", nil, "D20 error link.base_url: "),
        (web + "/", nil, "D20 error web.base_url: "),
        (link + apple, InboundResponse(status: 301, fields: [("Location", "https://www.example.com/")]), "D20 error "),
        (link + apple, InboundResponse(status: 503), "D20 error "),
        (link + apple, InboundResponse(status: 200, fields: [("Content-Type", "text/html")]), "D20 error "),
        (link + apple, json(Array("{}".utf8)), "D11 error apps.ios[0]: "),
        (link + android, json(Array("[{}]".utf8)), "D20 error "),
        (
            link + android,
            InboundResponse(
                status: 200,
                fields: [("Content-Type", "application/json"), ("Set-Cookie", "a=b")],
                body: androidFile
            ), "D20 error "
        ),
        (web + apple, InboundResponse(status: 200), "D22 error "),
        (link + "/index.html", InboundResponse(status: 200, fields: fields + [("Server", "x")]), "D25 error "),
        (appleList, InboundResponse(status: 404, fields: [("Apple-Failure-Reason", "SWCERR00301")]), "D26 warning "),
        (appleList, json(Array("{}".utf8)), "D26 warning "),
        (appleList, nil, "D26 note "),
        (googleList, json(Array(#"{"statements":[]}"#.utf8)), "D27 warning "),
        (googleList, nil, "D27 note "),
        (
            session, InboundResponse(status: 403, body: Array(#"{"reasonCode":"InvalidRequestSignature"}"#.utf8)),
            "D40 error provider.public_key_id: "
        ),
        (session, InboundResponse(status: 400), "D40 error https://pay-api.amazon.jp: "),
        (session, InboundResponse(status: 404), "D40 error https://pay-api.amazon.jp: It answers 404, but not as the "),
        (session, InboundResponse(status: 503), "D40 warning https://pay-api.amazon.jp: "),
        (session, nil, "D40 error https://pay-api.amazon.jp: "),
        (
            session, InboundResponse(status: 404, fields: [("Date", "Sat, 14 Mar 2026 01:57:00 GMT")]),
            "D41 error https://pay-api.amazon.jp: "
        ),
        (
            session, InboundResponse(status: 404, fields: [("Date", "Sat, 14 Mar 2026 02:02:00 GMT")]),
            "D41 warning https://pay-api.amazon.jp: "
        ),
    ]

    @Test(arguments: changes)
    func `with something wrong have a finding`(url: String, answer: InboundResponse?, start: String) async throws {
        let lines = try await lines { $0.answers[url] = answer }
        #expect(lines.contains { $0.hasPrefix(start) }, "\(lines)")
    }

    @Test func `on loopback leave the lists of Apple and Google alone`() async throws {
        var facts = try SettingFacts.sound()
        facts.texts["link.base_url"] = "https://links.localhost:8443"
        let surroundings = try OnlineTests.sound(facts)
        surroundings.answers["https://links.localhost:8443/"] = InboundResponse(status: 404)
        let files = OnlineChecks.Files(apple: try facts.appleFile(), android: OnlineTests.androidFile)
        _ = await OnlineChecks(facts, files: files, ways: surroundings.ways, clock: surroundings.clock).findings()
        #expect(!surroundings.asked.contains { $0.url.contains("apple.com") || $0.url.contains("googleapis") })
    }

    @Test(arguments: [
        ("SSL peer certificate or SSH remote key was not OK", "D21", "public authority"),
        ("SSL connect error", "D20", "clear_listen"), ("Couldn't connect to server", "D20", "Start the program"),
    ])
    func `that give no answer are told apart`(detail: String, check: String, remedy: String) async throws {
        let refusing = Refusing(detail)
        let files = OnlineChecks.Files(apple: nil, android: nil)
        let ways = OnlineChecks.Ways(hosts: refusing, provider: refusing, world: refusing, certificate: { _ in nil })
        let checks = OnlineChecks(try SettingFacts.sound(), files: files, ways: ways, clock: ManualClock(at: present))
        let findings = await checks.findings().filter { $0.subject.hasSuffix(".base_url") }
        #expect(findings.map(\.subject) == ["link.base_url", "web.base_url"])
        #expect(findings.allSatisfy { $0.check == check && $0.remedy.contains(remedy) })
    }

    // MARK: What a balancer does

    /// A field and what became of it; `nil` where it is gone.
    static let weakened: [(String, String?)] = [
        ("Strict-Transport-Security", nil), ("Strict-Transport-Security", "max-age=31536000; includeSubDomains"),
        ("Strict-Transport-Security", "max-age=63072000"), ("X-Content-Type-Options", nil),
        ("X-Frame-Options", "SAMEORIGIN"), ("Permissions-Policy", "camera=*"), ("Cache-Control", "public"),
        ("Referrer-Policy", nil), ("Referrer-Policy", "unsafe-url"), ("Cross-Origin-Opener-Policy", nil),
        ("Cross-Origin-Opener-Policy", "unsafe-none"), ("Cross-Origin-Resource-Policy", nil),
        ("Cross-Origin-Resource-Policy", "cross-origin"),
        ("Content-Security-Policy", "default-src *; frame-ancestors 'none'"),
    ]

    @Test(arguments: weakened, ["/browser/cart", "/index.html"])
    func `that weaken a field are found`(change: (String, String?), path: String) async throws {
        let url = (path == "/index.html" ? OnlineTests.link : OnlineTests.web) + path
        let answer = InboundResponse(status: 200, fields: OnlineTests.fields(change.0, change.1))
        let lines = try await lines { $0.answers[url] = answer }
        #expect(lines.count == 1 && lines[0].hasPrefix("D25 error \(url): \(change.0) is "), "\(lines)")
    }

    @Test func `that add a second, weaker value are found`() async throws {
        let answer = InboundResponse(status: 200, fields: OnlineTests.fields + [("referrer-policy", "unsafe-url")])
        let lines = try await lines { $0.answers[OnlineTests.web + "/browser/cart"] = answer }
        #expect(lines.count == 1 && lines[0].contains("Referrer-Policy is unsafe-url"), "\(lines)")
    }

    @Test(arguments: [
        ("Strict-Transport-Security", "max-age=94608000;includeSubDomains; preload"), ("X-Frame-Options", "deny"),
        ("Content-Security-Policy", "default-src 'none';script-src 'nonce-xyz';frame-ancestors 'none'"),
    ])
    func `that change nothing of importance are left alone`(name: String, value: String) async throws {
        let answer = InboundResponse(status: 200, fields: OnlineTests.fields(name, value))
        #expect(try await lines { $0.answers[OnlineTests.web + "/browser/cart"] = answer } == [])
    }

    // MARK: Certificates and time

    @Test func `whose certificate ends within two weeks are found behind a balancer too`() async throws {
        let old = try Material.certificate(at: present + .seconds(-390 * 86_400)).certificatePEM
        let lines = try await lines { $0.certificates[OnlineTests.web + "/"] = old }
        #expect(lines.count == 1 && lines[0].hasPrefix("D21 warning web.base_url: The certificate expires on "))
    }

    @Test func `whose certificate cannot be looked at are told`() async throws {
        let lines = try await lines { $0.certificates[OnlineTests.link + "/"] = nil }
        #expect(lines.count == 1 && lines[0].hasPrefix("D21 note link.base_url: "), "\(lines)")
    }

    @Test func `that answer slowly do not make the provider's clock look wrong`() async throws {
        let lines = try await lines { surroundings in
            surroundings.pause = .seconds(3)
            // Fifteen questions before the provider's take three seconds each; its clock is right.
            surroundings.answers[OnlineTests.session] = InboundResponse(
                status: 404,
                fields: [("Date", "Sat, 14 Mar 2026 02:00:11 GMT")],
                body: Array(#"{"reasonCode":"ResourceNotFound"}"#.utf8)
            )
        }
        #expect(lines == [])
    }

    // MARK: Libraries

    @Test(arguments: [("3.0.17", "3.0.17", 1), ("3.5.1", "3.0.17", 1), ("3.0.9", "3.0.17", 2), ("2.9", "3.0.17", 2)])
    func `are told the library that speaks TLS, and that it is too old`(
        running: String,
        built: String,
        count: Int
    ) async throws {
        var facts = try OnlineTests.facts()
        facts.libraries = [SettingFacts.Library(name: "OpenSSL", running: running, built: built)]
        let surroundings = try OnlineTests.sound(facts)
        let files = OnlineChecks.Files(apple: nil, android: nil)
        let checks = OnlineChecks(facts, files: files, ways: surroundings.ways, clock: surroundings.clock)
        let findings = await checks.findings().filter { $0.check == "D29" }
        #expect(findings.first?.message.contains("OpenSSL \(running)") == true)
        #expect(findings.map(\.severity) == (count == 1 ? [.note] : [.note, .warning]))
    }
}

/// Nobody answers, always for the same reason.
private final class Refusing: HTTPExchange {
    private let detail: String

    init(_ detail: String) {
        self.detail = detail
    }

    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        throw HTTPExchangeError(.connectFailed, detail: detail)
    }
}
