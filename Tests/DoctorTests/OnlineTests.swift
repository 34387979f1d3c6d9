import Doctor
import HTTPCore
import Primitives
import Testing

/// Answers by URL; what is not there cannot be reached.
private final class Surroundings: HTTPExchange {
    var answers: [String: InboundResponse] = [:]
    private(set) var asked: [OutboundRequest] = []

    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        asked.append(request)
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
        ("Strict-Transport-Security", "max-age=63072000"), ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"), ("Permissions-Policy", "camera=()"), ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"), ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ]

    private static func json(_ body: [UInt8]) -> InboundResponse {
        InboundResponse(status: 200, fields: [("Content-Type", "application/json")], body: body)
    }

    /// A world in which all is well.
    private static func sound(_ facts: SettingFacts) throws -> Surroundings {
        let surroundings = Surroundings()
        let file = try facts.appleFile()
        let page = InboundResponse(status: 200, fields: fields)
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

    private func lines(_ change: (Surroundings) -> Void = { _ in }) async throws -> [String] {
        let facts = try SettingFacts.sound()
        let surroundings = try OnlineTests.sound(facts)
        change(surroundings)
        let files = OnlineChecks.Files(apple: try facts.appleFile(), android: OnlineTests.androidFile)
        let ways = OnlineChecks.Ways(hosts: surroundings, provider: surroundings, world: surroundings)
        let report = Report(await OnlineChecks(facts, files: files, ways: ways).findings())
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
        let ways = OnlineChecks.Ways(hosts: surroundings, provider: surroundings, world: surroundings)
        _ = await OnlineChecks(facts, files: files, ways: ways).findings()
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
        (web + "/browser/cart", InboundResponse(status: 200, fields: Array(fields.dropFirst())), "D25 error "),
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
        let ways = OnlineChecks.Ways(hosts: surroundings, provider: surroundings, world: surroundings)
        _ = await OnlineChecks(facts, files: files, ways: ways).findings()
        #expect(!surroundings.asked.contains { $0.url.contains("apple.com") || $0.url.contains("googleapis") })
    }

    @Test func `that do not believe a certificate say so`() async throws {
        let facts = try SettingFacts.sound()
        let refusing = Refusing()
        let files = OnlineChecks.Files(apple: nil, android: nil)
        let ways = OnlineChecks.Ways(hosts: refusing, provider: refusing, world: refusing)
        let findings = await OnlineChecks(facts, files: files, ways: ways).findings()
        #expect(findings.filter { $0.check == "D21" }.map(\.subject) == ["link.base_url", "web.base_url"])
    }
}

/// No certificate is believed.
private final class Refusing: HTTPExchange {
    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        throw HTTPExchangeError(.connectFailed, detail: "SSL peer certificate or SSH remote key was not OK")
    }
}
