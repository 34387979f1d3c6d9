import Cryptography
import EventIO
import FeatureTestKit
import HTTPCore
import Operations
import Primitives
import ServerCore
import TestKit
import Testing
import Web

@testable import Checkout

@Suite struct `What others answer of the checkout` {
    private static let web = "https://pay.example.com"
    private static let link = "https://pay-links.example.com"
    private static let apple = "/.well-known/apple-app-site-association"
    private static let android = "/.well-known/assetlinks.json"
    private static let session = "https://pay-api.amazon.jp/v2/checkoutSessions/00000000-0000-4000-8000-000000000000"
    private static let appleList = "https://app-site-association.cdn-apple.com/a/v1/pay-links.example.com"
    private static let googleList =
        "https://digitalassetlinks.googleapis.com/v1/statements:list?source.web.site=https://pay-links.example.com"
        + "&relation=delegate_permission/common.handle_all_urls"
    private static let set = FeatureSet([CheckoutFeature.self])

    private static func json(_ body: [UInt8]) -> InboundResponse {
        InboundResponse(status: 200, fields: [("Content-Type", "application/json")], body: body)
    }

    /// Lets everybody answer as they should.
    private static func fill(_ hosts: AnswersByURL, _ feature: CheckoutFeature, _ context: ProbeContext) throws {
        let files = try Associations(feature.settings)
        let statements = #"{"statements":[{"target":{"androidApp":{"packageName":"com.example.shop"}}}]}"#
        let (appleFile, androidFile) = (files.apple ?? [], files.android ?? [])
        hosts.answers = [
            link + apple: json(appleFile), link + "/apple-app-site-association": json(appleFile),
            link + android: json(androidFile), web + apple: InboundResponse(status: 404),
            web + android: InboundResponse(status: 404), appleList: json(appleFile),
            googleList: json(Array(statements.utf8)),
            session: InboundResponse(
                status: 404,
                fields: [("Date", "Sat, 14 Mar 2026 01:59:27 GMT")],
                body: Array(#"{"reasonCode":"ResourceNotFound"}"#.utf8)
            ),
        ]
        for page in PageChecks(context).pages {
            hosts.answers[(page.host?.origin ?? "") + page.path] = InboundResponse(status: 200, fields: page.fields)
        }
    }

    /// What is found in a world in which all is well but what is changed, and what was asked.
    private func probe(
        _ settings: SoundSettings,
        _ change: @escaping @Sendable (AnswersByURL, inout ExaminedSettings) throws -> Void = { _, _ in }
    ) async throws -> (lines: [String], asked: [OutboundRequest]) {
        let clock = ManualClock(at: SoundSettings.present)
        return try await withLoop(clock: clock) { reactor in
            var (features, examined) = settings.examined(Self.set)
            let feature = try #require(features.first(CheckoutFeature.self))
            let hosts = AnswersByURL(clock)
            func context() -> ProbeContext {
                ProbeContext(
                    reactor,
                    examined,
                    headers: HeaderPolicy(includesSubdomains: true),
                    web: examined.web,
                    link: examined.link,
                    hosts: hosts,
                    exchange: { _ in hosts }
                )
            }
            try Self.fill(hosts, feature, context())
            try change(hosts, &examined)
            let report = Report(await feature.probe(context()))
            #expect(hosts.asked.allSatisfy { ["GET", "HEAD"].contains($0.method) })
            let lines = report.findings.map { "\($0.check) \($0.severity.rawValue) \($0.subject): \($0.message)" }
            return (lines, hosts.asked)
        }
    }

    private func lines(
        _ change: @escaping @Sendable (AnswersByURL, inout ExaminedSettings) throws -> Void = { _, _ in }
    ) async throws -> [String] {
        try await probe(try SoundSettings(), change).lines
    }

    @Test func `is nothing to find where all is well`() async throws {
        #expect(try await lines() == [])
    }

    @Test func `is asked without cookies, and of the provider with a signature over the mandatory headers`()
        async throws
    {
        let asked = try await probe(try SoundSettings()).asked
        let names = asked.flatMap { $0.fields.map { $0.0.lowercased() } }
        #expect(!names.contains("cookie"))
        let question = try #require(asked.last { $0.url == Self.session })
        let authorization = try #require(question.fields.first { $0.0 == "authorization" }?.1)
        #expect(authorization.contains("PublicKeyId=SANDBOX-EXAMPLEKEY00000000000001, "))
        #expect(
            authorization.contains("SignedHeaders=accept;content-type;x-amz-pay-date;x-amz-pay-host;x-amz-pay-region")
        )
    }

    /// What an answer is replaced by (`nil` for none), and what the finding begins with.
    static let changes: [(String, InboundResponse?, String)] = [
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
                body: Array("[]".utf8)
            ), "D20 error "
        ),
        (web + apple, InboundResponse(status: 200), "D22 error "),
        (link + "/index.html", InboundResponse(status: 200, fields: [("Server", "x")]), "D25 error "),
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
        (session, InboundResponse(status: 404), "D40 error https://pay-api.amazon.jp: It answers 404, but not in the "),
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
    func `is a finding where something is wrong`(url: String, answer: InboundResponse?, start: String) async throws {
        let lines = try await lines { hosts, _ in hosts.answers[url] = answer }
        #expect(lines.contains { $0.hasPrefix(start) }, "\(lines)")
    }

    @Test func `is not asked of files where anything is wrong with the settings that make them`() async throws {
        let found = try await probe(try SoundSettings()) { _, examined in examined.areSound = false }
        #expect(found.lines == [])
        #expect(!found.asked.contains { $0.url.contains("pay-links") && !$0.url.hasSuffix("/index.html") })
    }

    @Test func `is not asked of the lists of Apple and Google where the link host is this machine`() async throws {
        let asked = try await probe(try SoundSettings()) { _, examined in
            examined.texts["link.base_url"] = "https://links.localhost:8443"
        }.asked
        #expect(!asked.contains { $0.url.contains("apple.com") || $0.url.contains("googleapis") })
    }

    @Test func `makes the provider's clock look right, however slowly others answer`() async throws {
        let lines = try await lines { hosts, _ in
            hosts.pause = .seconds(3)
            // Thirteen questions before the provider's take three seconds each; its clock is right.
            hosts.answers[Self.session] = InboundResponse(
                status: 404,
                fields: [("Date", "Sat, 14 Mar 2026 02:00:05 GMT")],
                body: Array(#"{"reasonCode":"ResourceNotFound"}"#.utf8)
            )
        }
        #expect(lines == [])
    }
}
