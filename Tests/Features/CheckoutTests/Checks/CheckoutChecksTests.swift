import Cryptography
import FeatureTestKit
import Operations
import Primitives
import ServerCore
import Testing

@testable import Checkout

@Suite struct `Settings of the checkout` {
    private static func findings(_ settings: SoundSettings) -> [Finding] {
        let (features, settings) = settings.examined(FeatureSet([CheckoutFeature.self]))
        return features.findings(settings)
    }

    @Test func `without a mistake have no finding but the note on what to register`() throws {
        let findings = Self.findings(try SoundSettings())
        #expect(findings.map(\.line).filter { !$0.hasPrefix("D17 note") } == [])
        #expect(findings.count == 1)
        #expect(findings.first?.remedy.contains("https://pay.example.com") == true)
    }

    @Test(arguments: hosts + sessions + shop + apps + account + messages)
    func `with one mistake have a finding that names it and says what to do`(mistake: PlantedMistake) throws {
        #expect(mistake.complaints(Self.findings(try mistake.settings())) == [])
    }

    @Test func `may have a certificate or the public half behind the key`() throws {
        var settings = try SoundSettings()
        let others = try SoundSettings.certificate().certificatePEM + Array("-----BEGIN PUBLIC KEY-----\n".utf8)
        settings.files["provider.private_key"] = .content(Secret(SoundSettings.merchantKey.reveal() + others))
        #expect(Self.findings(settings).filter { $0.severity != .note } == [])
    }

    @Test func `that hold a key in place of its path are told so once`() throws {
        var settings = try SoundSettings()
        settings.write("provider.private_key")
        let findings = Self.findings(settings).filter { $0.severity == .error }
        #expect(findings.map(\.message) == ["It holds the key itself, not a path."])
    }

    @Test(arguments: ["us-west-2", "ap-northeast-1"])
    func `may name a topic of their own region or of one that nobody knows`(region: String) throws {
        var settings = try SoundSettings()
        settings.texts["notifications.topic_arn"] = "arn:aws:sns:\(region):291180941288:A1EXAMPLEMERCH"
        #expect(Self.findings(settings).filter { $0.severity != .note } == [])
    }

    @Test func `on loopback may be mild about what only strangers notice`() throws {
        var settings = try SoundSettings()
        settings.texts["web.base_url"] = "https://localhost:8443"
        settings.texts["link.base_url"] = "https://links.localhost:8443"
        settings.texts["profile"] = "compat"
        let fingerprint = Self.placeholder("AB")
        settings.texts["apps.android"] = #"[{"package":"com.example.shop","fingerprints":["\#(fingerprint)"]}]"#
        #expect(Self.findings(settings).filter { $0.severity != .note } == [])
    }

    @Test func `name at the start too what the last page before a purchase lacks`() async throws {
        func missing(_ texts: [String: String], web: String) throws -> [String] {
            var settings = try SoundSettings()
            settings.texts.merge(texts) { _, new in new }
            settings.texts["web.base_url"] = web
            let (features, examined) = settings.examined(FeatureSet([CheckoutFeature.self]))
            let told = features.first(CheckoutFeature.self)?.settings.shop.terms.missing ?? []
            // The doctor and the start go by the same list.
            let found = features.findings(examined).filter { $0.check == "D56" }.map(\.subject)
            #expect(found == (examined.isProduction ? told : []))
            return told
        }
        #expect(try missing([:], web: "https://pay.example.com") == [])
        let none = [
            "shop.payment": "", "shop.delivery": "", "shop.returns_en": "", "shop.legal_url": "",
            "shop.contact_url": "",
        ]
        let all = ["shop.payment", "shop.delivery", "shop.returns", "shop.legal_url", "shop.contact_url"]
        #expect(try missing(none, web: "https://pay.example.com") == all)
        #expect(try missing(none, web: "https://localhost:8443") == all)
    }

    @Test func `make no association file where anything is wrong with them`() throws {
        var settings = try SoundSettings()
        settings.texts["apps.ios"] =
            #"[{"prefix":"ABCDE12345","bundle":"com.example.shop","services":["webcredentials"]}]"#
        var (features, examined) = settings.examined(FeatureSet([CheckoutFeature.self]))
        #expect(features.findings(examined).contains { $0.check == "D11" })
        examined.areSound = false
        #expect(!features.findings(examined).contains { $0.check == "D11" })
    }

    @Test func `never show a secret`() throws {
        var settings = try SoundSettings()
        settings.files["provider.private_key"] = .content(Secret(Array("BEGIN PUBLIC KEY canary-1234".utf8)))
        let report = Report(Self.findings(settings))
        #expect(report.worst == .error)
        #expect(!report.text.contains("canary-1234"))
        #expect(!report.json.contains("canary-1234"))
    }
}

extension `Settings of the checkout` {
    static let hosts: [PlantedMistake] = [
        .texts("D15", at: "cookies.names", ["web.base_url": "http://pay.example.com"]),
        .texts("D17", at: "web.base_url", ["web.base_url": "http://pay.example.com"]),
        .texts("D17", at: "web.base_url", ["web.base_url": "http://127.pay.example.com"]),
        .texts(
            "D17",
            at: "web.base_url",
            ["web.base_url": "https://localhost", "provider.public_key_id": "LIVE-EXAMPLEKEY00000000000001"]
        ),
    ]

    static let sessions: [PlantedMistake] = [
        .texts("D16", at: "session.idle", ["session.launch": "31m"]),
        .texts("D16", at: "session.idle", ["session.absolute": "29m"]),
        .texts("D16", at: "session.lease", ["session.lease": "30"]),
        .texts("D18", .warning, at: "profile", ["profile": "compat"]),
        .texts("D48", .warning, at: "limits.drain", ["limits.drain": "49s"]),
        .texts("D48", .warning, at: "limits.handler_deadline", ["limits.handler_deadline": "49s"]),
        .texts("D48", .warning, at: "limits.drain", ["limits.drain": "60s", "session.lease": "70s"]),
        PlantedMistake("a trail without marks", "D50", .warning, at: "session.trail_secret") { settings in
            settings.texts["session.trail_secret"] = nil
            settings.files["session.trail_secret"] = nil
        },
        PlantedMistake("a trail's secret of 31 bytes", "D50", at: "session.trail_secret") { settings in
            settings.files["session.trail_secret"] = .content(Secret([UInt8](repeating: 9, count: 31)))
        },
        PlantedMistake("a trail's secret that cannot be read", "D50", at: "session.trail_secret") { settings in
            settings.files["session.trail_secret"] = .unreadable("no such file")
        },
        PlantedMistake("the trail's secret itself", "D50", at: "session.trail_secret") {
            $0.write("session.trail_secret")
        },
    ]

    static let shop: [PlantedMistake] = [
        .texts("D56", .warning, at: "shop.payment", ["shop.payment": ""]),
        .texts("D56", .warning, at: "shop.delivery", ["shop.delivery": ""]),
        .texts("D56", .warning, at: "shop.returns", ["shop.returns_en": ""]),
        .texts("D56", .warning, at: "shop.legal_url", ["shop.legal_url": ""]),
        .texts("D56", .warning, at: "shop.contact_url", ["shop.contact_url": ""]),
    ]

    static let apps: [PlantedMistake] = [
        ios("a team id with a blank", "D04", #"[{"prefix":"ABCDE 1234","bundle":"com.example.shop"}]"#),
        ios("a bundle id with a slash", "D04", #"[{"prefix":"ABCDE12345","bundle":"com/example"}]"#),
        PlantedMistake("an iOS app twice", "D04", at: "apps.ios[1]") { settings in
            let app = #"{"prefix":"ABCDE12345","bundle":"com.example.shop"}"#
            settings.texts["apps.ios"] = "[\(app),\(app)]"
        },
        ios(
            "an app without applinks",
            "D11",
            #"[{"prefix":"ABCDE12345","bundle":"com.example.shop","services":["webcredentials"]}]"#
        ),
        ios(
            "an app without webcredentials",
            "D13",
            #"[{"prefix":"ABCDE12345","bundle":"com.example.shop","services":["applinks"]}]"#
        ),
        android("a package name of one word", "shop", [SoundSettings.fingerprint]),
        android("a fingerprint of SHA-1", "com.example.shop", [String(SoundSettings.fingerprint.prefix(59))]),
        android("a fingerprint twice", "com.example.shop", [SoundSettings.fingerprint, SoundSettings.fingerprint]),
        PlantedMistake("an Android app twice", "D14", at: "apps.android[1]") { settings in
            let app = #"{"package":"com.example.shop","fingerprints":["\#(SoundSettings.fingerprint)"]}"#
            settings.texts["apps.android"] = "[\(app),\(app)]"
        },
        android("a placeholder's fingerprint", "com.example.shop", [placeholder("AA")]),
        android(
            "the debug key of a template",
            "com.example.shop",
            ["fa:c6:17:45:dc:09:03:78:6f:b9:ed:e6:2a:96:2b:39:9f:73:48:f0:bb:6f:89:9b:83:32:66:75:91:03:3b:9c"]
        ),
    ]

    private static func ios(_ name: String, _ check: String, _ apps: String) -> PlantedMistake {
        PlantedMistake(name, check, at: "apps.ios[0]") { $0.texts["apps.ios"] = apps }
    }

    private static func android(_ name: String, _ package: String, _ fingerprints: [String]) -> PlantedMistake {
        PlantedMistake(name, "D14", at: "apps.android[0]") { settings in
            let words = fingerprints.map { "\"\($0)\"" }.joined(separator: ",")
            settings.texts["apps.android"] = #"[{"package":"\#(package)","fingerprints":[\#(words)]}]"#
        }
    }

    /// A fingerprint of one byte over and over.
    private static func placeholder(_ byte: String) -> String {
        Array(repeating: byte, count: 32).joined(separator: ":")
    }

    static let account: [PlantedMistake] = [
        .texts("D30", at: "provider.merchant_id", ["provider.merchant_id": ""]),
        .texts("D30", at: "provider.merchant_id", ["provider.merchant_id": "a1examplemerch"]),
        .texts("D30", at: "provider.store_id", ["provider.store_id": "amzn1.application-oa2-client.123"]),
        .texts("D30", at: "provider.public_key_id", ["provider.public_key_id": "TEST-EXAMPLEKEY00000000000001"]),
        .texts("D30", at: "provider.public_key_id", ["provider.public_key_id": "EXAMPLEKEY00000000000001"]),
        PlantedMistake("a certificate in place of the key", "D31", at: "provider.private_key") { settings in
            settings.files["provider.private_key"] = try certificate()
        },
        PlantedMistake("the key itself", "D31", at: "provider.private_key") { $0.write("provider.private_key") },
        PlantedMistake("the authority itself", "D35", at: "provider.ca_file") { $0.write("provider.ca_file") },
        PlantedMistake("a key file that is missing", "D31", at: "provider.private_key") { settings in
            settings.files["provider.private_key"] = .unreadable("notFound")
        },
        PlantedMistake("the public half of the key", "D31", at: "provider.private_key") { settings in
            settings.files["provider.private_key"] = .content(Secret(Array("-----BEGIN PUBLIC KEY-----\n".utf8)))
        },
        PlantedMistake("a key with lost line breaks", "D31", at: "provider.private_key") { settings in
            let text = SoundSettings.merchantKey.reveal().filter { $0 != 0x0A }
            settings.files["provider.private_key"] = .content(Secret(text))
        },
        .texts(
            "D32",
            at: "provider.api_url",
            [
                "provider.public_key_id": "LIVE-EXAMPLEKEY00000000000001", "provider.api_url": "https://localhost:9443",
                "provider.script_url": "https://localhost:9443/checkout.js",
            ]
        ),
        .texts("D33", at: "provider.api_url", ["provider.api_url": "https://pay-api.amazon.jp"]),
        .texts(
            "D33",
            at: "provider.script_url",
            ["provider.script_url": "https://static-na.payments-amazon.com/checkout.js"]
        ),
        .texts(
            "D33",
            at: "provider.redirect_hosts",
            ["provider.redirect_hosts": "payments.amazon.de,payments.amazon.fr"]
        ),
        .texts("D34", at: "provider.api_url", ["provider.api_url": "https://localhost:9443"]),
        .texts("D34", at: "provider.script_url", ["provider.script_url": "https://localhost:9443/checkout.js"]),
        .texts("D35", at: "provider.ca_file", ["provider.ca_file": "authority.pem"]),
        .texts("D36", at: "provider.store_name", ["provider.store_name": String(repeating: "x", count: 51)]),
        .texts("D36", .warning, at: "provider.algorithm", ["provider.algorithm": "AMZN-PAY-RSASSA-PSS"]),
        .texts("D37", at: "provider.redirect_hosts", ["provider.redirect_hosts": "https://payments.amazon.co.jp/"]),
        .texts(
            "D37",
            at: "provider.redirect_hosts",
            ["provider.redirect_hosts": "payments.amazon.co.jp,amazon.example"]
        ),
    ]

    private static func certificate() throws -> ExaminedSettings.File {
        .content(Secret(try SoundSettings.certificate().certificatePEM))
    }

    private static let topic = "notifications.topic_arn"
    private static let hostSetting = "notifications.certificate_hosts"

    static let messages: [PlantedMistake] = [
        .texts("D42", at: topic, [topic: "arn:aws:sns:us-west-2:29118094128:A1EXAMPLEMERCH"]),
        .texts("D42", at: topic, [topic: "arn:aws:sqs:us-west-2:291180941288:A1EXAMPLEMERCH"]),
        .texts(
            "D42",
            at: topic,
            [topic: "arn:aws:sns:us-west-2:291180941288:shop,https://sns.us-west-2.amazonaws.com"]
        ),
        .texts("D42", at: topic, [topic: "arn:aws:sns:us-west-2:291180941288:"]),
        .texts("D42", .warning, at: topic, [topic: "arn:aws:sns:eu-west-1:291180941288:A1EXAMPLEMERCH"]),
        .texts("D42", at: hostSetting, [hostSetting: "localhost:9443"]),
        .texts(
            "D42",
            at: hostSetting,
            [
                hostSetting: "localhost:9443", "provider.public_key_id": "LIVE-EXAMPLEKEY00000000000001",
                "provider.api_url": "https://localhost:9443",
            ]
        ),
    ]
}
