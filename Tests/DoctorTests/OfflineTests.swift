import Cryptography
import Doctor
import Operations
import Primitives
import Testing

/// One mistake in settings that are sound otherwise, and how it is told.
struct PlantedMistake: Sendable, CustomTestStringConvertible {
    let name: String
    let check: String
    let severity: Severity
    let subject: String
    let plant: @Sendable (inout SettingFacts) throws -> Void

    var testDescription: String { name }

    init(
        _ name: String,
        _ check: String,
        _ severity: Severity = .error,
        at subject: String,
        _ plant: @escaping @Sendable (inout SettingFacts) throws -> Void
    ) {
        self.name = name
        self.check = check
        self.severity = severity
        self.subject = subject
        self.plant = plant
    }

    /// A mistake in texts alone.
    static func texts(
        _ check: String,
        _ severity: Severity = .error,
        at subject: String,
        _ texts: [String: String]
    ) -> PlantedMistake {
        let name = texts.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }.joined(separator: ", ")
        return PlantedMistake(name, check, severity, at: subject) { $0.texts.merge(texts) { _, new in new } }
    }
}

extension PlantedMistake {
    static let hosts: [PlantedMistake] = [
        texts("D01", at: "link.base_url", ["link.base_url": "https://pay.example.com"]),
        texts("D01", at: "link.base_url", ["link.base_url": "https://PAY.example.com."]),
        texts("D01", at: "link.base_url", ["web.base_url": "https://localhost", "link.base_url": "https://127.0.0.1"]),
        texts("D02", at: "web.base_url", ["web.base_url": "https://192.0.2.1"]),
        texts("D02", at: "link.base_url", ["link.base_url": "https://[2001:db8::1]"]),
        texts("D02", at: "link.base_url", ["link.base_url": "https://pay-links.example.com:8443"]),
        texts("D02", .warning, at: "link.base_url", ["link.base_url": "https://links.localhost:8443", "listen": ""]),
        texts("D02", at: "web.base_url", ["web.base_url": "https://Pay.example.com"]),
        texts("D02", at: "web.base_url", ["web.base_url": "https://pay.example.com."]),
        texts("D02", at: "web.base_url", ["web.base_url": "https://co.jp"]),
        texts("D02", at: "web.base_url", ["web.base_url": "https://shop"]),
        texts("D03", at: "web.base_url", ["web.base_url": "http://pay.example.com"]),
        texts("D03", .warning, at: "link.base_url", ["link.base_url": "http://links.localhost"]),
        texts("D15", at: "cookies.names", ["web.base_url": "http://pay.example.com"]),
        texts("D17", at: "web.base_url", ["web.base_url": "http://pay.example.com"]),
        texts("D17", at: "web.base_url", ["web.base_url": "http://127.pay.example.com"]),
        texts(
            "D17",
            at: "web.base_url",
            ["web.base_url": "https://localhost", "provider.public_key_id": "LIVE-EXAMPLEKEY00000000000001"]
        ),
        texts("D19", at: "trusted_proxies", ["trusted_proxies": "*"]),
        texts("D19", at: "trusted_proxies", ["trusted_proxies": "10.0.0.1,0.0.0.0/0"]),
        texts("D19", at: "trusted_proxies", ["trusted_proxies": "::/0"]),
        texts("D19", at: "trusted_proxies", ["trusted_proxies": "128.0.0.0/1"]),
        texts("D19", at: "trusted_proxies", ["trusted_proxies": "2000::/3"]),
        texts("D19", at: "trusted_proxies", ["trusted_proxies": "fc00::/6"]),
        texts("D19", at: "trusted_proxies", ["trusted_proxies": "fe80::/9"]),
    ]

    static let sessions: [PlantedMistake] = [
        texts("D16", at: "session.idle", ["session.launch": "31m"]),
        texts("D16", at: "session.idle", ["session.absolute": "29m"]),
        texts("D16", at: "session.lease", ["session.lease": "30"]),
        texts("D18", .warning, at: "profile", ["profile": "compat"]),
        texts("D48", .warning, at: "limits.drain", ["limits.drain": "49s"]),
        texts("D48", .warning, at: "limits.drain", ["limits.drain": "60s", "session.lease": "70s"]),
    ]

    static let certificates: [PlantedMistake] = [
        PlantedMistake("an expired certificate", "D21", at: "tls.certificate") { facts in
            facts.files["tls.certificate"] = try content(at: -500)
        },
        PlantedMistake("a certificate of tomorrow", "D21", at: "tls.certificate") { facts in
            facts.files["tls.certificate"] = try content(at: 2)
        },
        PlantedMistake("a certificate that ends next week", "D21", .warning, at: "tls.certificate") { facts in
            facts.files["tls.certificate"] = try content(at: -390)
        },
        PlantedMistake("a certificate for one host", "D21", at: "tls.certificate") { facts in
            facts.files["tls.certificate"] = try content(for: [.host("pay.example.com")])
        },
        PlantedMistake("a wildcard one label too high", "D21", at: "tls.certificate") { facts in
            facts.files["tls.certificate"] = try content(for: [.host("*.com")])
        },
        PlantedMistake("no certificate in the file", "D21", at: "tls.certificate") { facts in
            facts.files["tls.certificate"] = .content(Secret(Array("nothing".utf8)))
        },
        PlantedMistake("a second certificate that expired", "D21", at: "tls.second_certificate") { facts in
            facts.files["tls.second_certificate"] = try content(at: -500)
        },
        PlantedMistake("a key that cannot be read", "D21", at: "tls.key") { facts in
            facts.files["tls.key"] = .unreadable("notFound")
        },
        PlantedMistake("the certificate itself", "D21", at: "tls.certificate") { $0.write("tls.certificate") },
        PlantedMistake("the key of the certificate itself", "D21", at: "tls.key") { $0.write("tls.key") },
        PlantedMistake("no certificate", "D21", at: "tls.certificate") { $0.files["tls.certificate"] = nil },
    ]

    private static func content(
        for names: [CertificateName] = Material.hosts,
        at days: Int64 = 0
    ) throws -> SettingFacts.File {
        let time = present + .seconds(days * 86_400)
        return .content(Secret(try Material.certificate(for: names, at: time).certificatePEM))
    }

    static let apps: [PlantedMistake] = [
        PlantedMistake("a team id with a blank", "D04", at: "apps.ios[0]") { facts in
            facts.iosApps = [
                .init(prefix: "ABCDE 1234", bundle: "com.example.shop", services: ["applinks", "webcredentials"])
            ]
        },
        PlantedMistake("a bundle id with a slash", "D04", at: "apps.ios[0]") { facts in
            facts.iosApps = [
                .init(prefix: "ABCDE12345", bundle: "com/example", services: ["applinks", "webcredentials"])
            ]
        },
        PlantedMistake("an iOS app twice", "D04", at: "apps.ios[1]") { $0.iosApps += $0.iosApps },
        PlantedMistake("an app without applinks", "D11", at: "apps.ios[0]") { facts in
            facts.iosApps = [.init(prefix: "ABCDE12345", bundle: "com.example.shop", services: ["webcredentials"])]
        },
        PlantedMistake("an app without webcredentials", "D13", at: "apps.ios[0]") { facts in
            facts.iosApps = [.init(prefix: "ABCDE12345", bundle: "com.example.shop", services: ["applinks"])]
        },
        PlantedMistake("a package name of one word", "D14", at: "apps.android[0]") { facts in
            facts.androidApps = [.init(package: "shop", fingerprints: facts.androidApps[0].fingerprints)]
        },
        PlantedMistake("a fingerprint of SHA-1", "D14", at: "apps.android[0]") { facts in
            let short = facts.androidApps[0].fingerprints.map { String($0.prefix(59)) }
            facts.androidApps = [.init(package: "com.example.shop", fingerprints: short)]
        },
        PlantedMistake("a fingerprint twice", "D14", at: "apps.android[0]") { facts in
            let prints = facts.androidApps[0].fingerprints
            facts.androidApps = [.init(package: "com.example.shop", fingerprints: prints + prints)]
        },
        PlantedMistake("an Android app twice", "D14", at: "apps.android[1]") { $0.androidApps += $0.androidApps },
        PlantedMistake("a placeholder's fingerprint", "D14", at: "apps.android[0]") { facts in
            let print = Array(repeating: "AA", count: 32).joined(separator: ":")
            facts.androidApps = [.init(package: "com.example.shop", fingerprints: [print])]
        },
        PlantedMistake("the debug key of a template", "D14", at: "apps.android[0]") { facts in
            let print =
                "fa:c6:17:45:dc:09:03:78:6f:b9:ed:e6:2a:96:2b:39:9f:73:48:f0:bb:6f:89:9b:83:32:66:75:91:03:3b:9c"
            facts.androidApps = [.init(package: "com.example.shop", fingerprints: [print])]
        },
    ]

    static let account: [PlantedMistake] = [
        texts("D30", at: "provider.merchant_id", ["provider.merchant_id": ""]),
        texts("D30", at: "provider.merchant_id", ["provider.merchant_id": "a1examplemerch"]),
        texts("D30", at: "provider.store_id", ["provider.store_id": "amzn1.application-oa2-client.123"]),
        texts("D30", at: "provider.public_key_id", ["provider.public_key_id": "TEST-EXAMPLEKEY00000000000001"]),
        texts("D30", at: "provider.public_key_id", ["provider.public_key_id": "EXAMPLEKEY00000000000001"]),
        PlantedMistake("a certificate in place of the key", "D31", at: "provider.private_key") { facts in
            facts.files["provider.private_key"] = try content()
        },
        PlantedMistake("the key itself", "D31", at: "provider.private_key") { $0.write("provider.private_key") },
        PlantedMistake("the authority itself", "D35", at: "provider.ca_file") { $0.write("provider.ca_file") },
        PlantedMistake("a key file that is missing", "D31", at: "provider.private_key") { facts in
            facts.files["provider.private_key"] = .unreadable("notFound")
        },
        PlantedMistake("the public half of the key", "D31", at: "provider.private_key") { facts in
            facts.files["provider.private_key"] = .content(Secret(Array("-----BEGIN PUBLIC KEY-----\n".utf8)))
        },
        PlantedMistake("a key with lost line breaks", "D31", at: "provider.private_key") { facts in
            let text = Material.merchantKey.reveal().filter { $0 != 0x0A }
            facts.files["provider.private_key"] = .content(Secret(text))
        },
        texts(
            "D32",
            at: "provider.api_url",
            [
                "provider.public_key_id": "LIVE-EXAMPLEKEY00000000000001", "provider.api_url": "https://localhost:9443",
                "provider.script_url": "https://localhost:9443/checkout.js",
            ]
        ),
        texts("D33", at: "provider.api_url", ["provider.api_url": "https://pay-api.amazon.jp"]),
        texts(
            "D33",
            at: "provider.script_url",
            ["provider.script_url": "https://static-na.payments-amazon.com/checkout.js"]
        ),
        texts(
            "D33",
            at: "provider.redirect_hosts",
            ["provider.redirect_hosts": "payments.amazon.de,payments.amazon.fr"]
        ),
        texts("D34", at: "provider.api_url", ["provider.api_url": "https://localhost:9443"]),
        texts("D34", at: "provider.script_url", ["provider.script_url": "https://localhost:9443/checkout.js"]),
        texts("D35", at: "provider.ca_file", ["provider.ca_file": "authority.pem"]),
        texts("D36", at: "provider.store_name", ["provider.store_name": String(repeating: "x", count: 51)]),
        texts("D36", .warning, at: "provider.algorithm", ["provider.algorithm": "AMZN-PAY-RSASSA-PSS"]),
        texts("D37", at: "provider.redirect_hosts", ["provider.redirect_hosts": "https://payments.amazon.co.jp/"]),
        texts(
            "D37",
            at: "provider.redirect_hosts",
            ["provider.redirect_hosts": "payments.amazon.co.jp,amazon.example"]
        ),
    ]

    private static let topic = "notifications.topic_arn"
    private static let hostSetting = "notifications.certificate_hosts"

    static let messages: [PlantedMistake] = [
        texts("D42", at: topic, [topic: "arn:aws:sns:us-west-2:29118094128:A1EXAMPLEMERCH"]),
        texts("D42", at: topic, [topic: "arn:aws:sqs:us-west-2:291180941288:A1EXAMPLEMERCH"]),
        texts("D42", at: topic, [topic: "arn:aws:sns:us-west-2:291180941288:shop,https://sns.us-west-2.amazonaws.com"]),
        texts("D42", at: topic, [topic: "arn:aws:sns:us-west-2:291180941288:"]),
        texts("D42", .warning, at: topic, [topic: "arn:aws:sns:eu-west-1:291180941288:A1EXAMPLEMERCH"]),
        texts("D42", at: hostSetting, [hostSetting: "localhost:9443"]),
        texts(
            "D42",
            at: hostSetting,
            [
                hostSetting: "localhost:9443", "provider.public_key_id": "LIVE-EXAMPLEKEY00000000000001",
                "provider.api_url": "https://localhost:9443",
            ]
        ),
        texts("D49", at: "admin_listen", ["admin_listen": "0.0.0.0:8444"]),
        texts("D49", at: "admin_listen", ["admin_listen": "[::]:8444"]),
        texts("D49", at: "admin_listen", ["admin_listen": "192.0.2.1:8444"]),
        PlantedMistake("a token of 31 characters", "D49", at: "admin.token_file") { facts in
            facts.files["admin.token_file"] = .content(Secret([UInt8](repeating: 0x41, count: 31)))
        },
        PlantedMistake("a token that cannot be read", "D49", at: "admin.token_file") { facts in
            facts.files["admin.token_file"] = .unreadable("no such file")
        },
        PlantedMistake("the token itself", "D49", at: "admin.token_file") { $0.write("admin.token_file") },
        PlantedMistake("a key that everybody may read", "D54", at: "tls.key") { facts in
            facts.exposures["tls.key"] = "is open to every user of this machine"
        },
        texts("D55", .warning, at: "debug.core_dumps", ["debug.core_dumps": "true"]),
        texts("D43", .warning, at: "merchant.secret_file", ["merchant.api": "true", "merchant.secret_file": ""]),
        texts("D44", at: "merchant.postage_origins", ["merchant.postage_origins": "https://shop.example.com"]),
        PlantedMistake("postage without an interface", "D44", .warning, at: "merchant.postage_origins") { facts in
            facts.texts["merchant.postage_origins"] = "https://shop.example.com"
            facts.texts["merchant.secret_file"] = "secret"
            facts.files["merchant.secret_file"] = .content(Secret([UInt8](repeating: 7, count: 32)))
        },
        texts(
            "D45",
            .warning,
            at: "merchant.app_links",
            ["merchant.api": "true", "merchant.app_links": "com.example.shop:"]
        ),
        texts(
            "D45",
            at: "merchant.app_links",
            ["merchant.api": "true", "merchant.app_links": "https://shop.example.com,https://pay.example.com:8443"]
        ),
        PlantedMistake("a secret of 31 bytes", "D43", at: "merchant.secret_file") { facts in
            facts.texts["merchant.secret_file"] = "secret"
            facts.files["merchant.secret_file"] = .content(Secret([UInt8](repeating: 7, count: 31)))
        },
        PlantedMistake("a secret that cannot be read", "D43", at: "merchant.secret_file") { facts in
            facts.texts["merchant.secret_file"] = "secret"
            facts.files["merchant.secret_file"] = .unreadable("notFound")
        },
        PlantedMistake("the secret itself", "D43", at: "merchant.secret_file") { $0.write("merchant.secret_file") },
    ]

    static let all = hosts + sessions + certificates + apps + account + messages
}

@Suite("Settings")
struct OfflineTests {
    @Test func `without a mistake have no finding but the note on what to register`() throws {
        let findings = try SettingFacts.sound().findings()
        #expect(findings.map(\.line).filter { !$0.hasPrefix("D17 note") } == [])
        #expect(findings.count == 1)
        #expect(findings.first?.remedy.contains("https://pay.example.com") == true)
    }

    @Test(arguments: PlantedMistake.all)
    func `with one mistake have a finding that names it and says what to do`(mistake: PlantedMistake) throws {
        var facts = try SettingFacts.sound()
        try mistake.plant(&facts)
        let findings = facts.findings()
        let found = findings.first { $0.check == mistake.check && $0.subject == mistake.subject }
        #expect(found?.severity == mistake.severity, "\(findings.map(\.line))")
        #expect(found?.remedy.isEmpty == false)
        #expect(found.map { $0.message.hasSuffix(".") && !$0.line.contains("\n") } == true)
        #expect(Report(findings).exitStatus(isStrict: false) == (mistake.severity == .error ? 2 : 0))
        #expect(Report(findings).exitStatus(isStrict: true) == (mistake.severity == .error ? 2 : 1))
    }

    @Test(arguments: ["fd00::/8", "fc00::/7", "fe80::/10", "FD12:3456::/9", "10.0.0.0/8", "2001:db8::/16"])
    func `may believe a whole network that no stranger is in`(network: String) throws {
        var facts = try SettingFacts.sound()
        facts.texts["trusted_proxies"] = network
        #expect(!facts.findings().contains { $0.check == "D19" })
    }

    @Test(arguments: [
        ("127.0.0.1:8444", 0), ("127.1.2.3:1", 0), ("[::1]:8444", 0), ("unix:/run/admin", 0), ("", 0),
        ("0.0.0.0:8444", 1),
        ("[::]:8444", 1), ("10.0.0.5:8444", 1),
    ])
    func `with a token may open the administration listener, with a note where that is to other machines`(
        address: String,
        notes: Int
    ) throws {
        var facts = try SettingFacts.sound()
        facts.texts["admin_listen"] = address
        facts.files["admin.token_file"] = .content(Secret([UInt8](repeating: 0x41, count: 32)))
        let findings = facts.findings().filter { $0.check == "D49" }
        #expect(findings.map(\.severity) == Array(repeating: .note, count: notes))
        #expect(findings.allSatisfy { $0.subject == "admin_listen" })
    }

    @Test func `may have a certificate or the public half behind the key`() throws {
        var facts = try SettingFacts.sound()
        let others = try Material.certificate().certificatePEM + Array("-----BEGIN PUBLIC KEY-----\n".utf8)
        facts.files["provider.private_key"] = .content(Secret(Material.merchantKey.reveal() + others))
        #expect(facts.findings().filter { $0.severity != .note } == [])
    }

    @Test func `that hold a key in place of its path are told so once`() throws {
        var facts = try SettingFacts.sound()
        facts.write("provider.private_key")
        let findings = facts.findings().filter { $0.severity == .error }
        #expect(findings.map(\.message) == ["It holds the key itself, not a path."])
    }

    @Test(arguments: ["us-west-2", "ap-northeast-1"])
    func `may name a topic of their own region or of one that nobody knows`(region: String) throws {
        var facts = try SettingFacts.sound()
        facts.texts["notifications.topic_arn"] = "arn:aws:sns:\(region):291180941288:A1EXAMPLEMERCH"
        facts.texts["merchant.api"] = "true"
        facts.texts["merchant.secret_file"] = "secret"
        facts.files["merchant.secret_file"] = .content(Secret([UInt8](repeating: 7, count: 32)))
        #expect(facts.findings().filter { $0.severity != .note } == [])
    }

    @Test func `may send buyers back to an app's own site, and say nothing of links that no app is served by`() throws {
        var facts = try SettingFacts.sound()
        facts.texts["merchant.app_links"] = "com.example.shop:"
        #expect(facts.findings().filter { $0.severity != .note } == [])
        facts.texts["merchant.app_links"] = "https://shop.example.com"
        facts.texts["merchant.api"] = "true"
        facts.texts["merchant.secret_file"] = "secret"
        facts.files["merchant.secret_file"] = .content(Secret([UInt8](repeating: 7, count: 32)))
        facts.texts["merchant.postage_origins"] = "https://shop.example.com"
        #expect(facts.findings().filter { $0.severity != .note } == [])
    }

    @Test func `with TLS at a balancer need no certificate`() throws {
        var facts = try SettingFacts.sound()
        facts.texts["listen"] = ""
        facts.files = facts.files.filter { $0.key == "provider.private_key" }
        #expect(!facts.findings().contains { $0.check == "D21" })
    }

    @Test func `on loopback may be mild about what only strangers notice`() throws {
        var facts = try SettingFacts.sound()
        facts.texts["web.base_url"] = "https://localhost:8443"
        facts.texts["link.base_url"] = "https://links.localhost:8443"
        facts.texts["listen"] = ""
        facts.texts["profile"] = "compat"
        facts.androidApps = [
            .init(package: "com.example.shop", fingerprints: [Array(repeating: "AB", count: 32).joined(separator: ":")])
        ]
        let report = Report(facts.findings())
        #expect(report.findings.filter { $0.severity != .note }.map(\.check) == ["D02"])
        #expect(report.exitStatus(isStrict: false) == 0)
    }

    @Test func `that the program refuses for another reason are told once`() throws {
        var facts = try SettingFacts.sound()
        facts.texts["provider.merchant_id"] = "nobody"
        facts.problems = [
            .init("loops", "not a whole number from 0 to 256"), .init("provider", "the merchant id is malformed"),
        ]
        let errors = facts.findings().filter { $0.severity == .error }
        #expect(errors.map(\.check).sorted() == ["D00", "D30"])
        #expect(errors.first { $0.check == "D00" }?.line.hasPrefix("D00 error loops: Not a whole number") == true)
    }

    @Test func `never show a secret`() throws {
        var facts = try SettingFacts.sound()
        facts.files["provider.private_key"] = .content(Secret(Array("BEGIN PUBLIC KEY canary-1234".utf8)))
        facts.files["tls.certificate"] = .content(Secret(Array("canary-1234".utf8)))
        let report = Report(facts.findings())
        #expect(!report.text.contains("canary-1234"))
        #expect(!report.json.contains("canary-1234"))
    }
}
