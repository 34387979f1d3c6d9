import Cryptography
import FeatureTestKit
import Operations
import Primitives
import ServerCore
import Testing

@testable import Program

@Suite struct `Settings of the whole program` {
    private static func findings(
        _ settings: SoundSettings,
        _ problems: [ProgramChecks.Problem] = []
    ) -> [Finding] {
        let (features, settings) = settings.examined(FeatureList.all)
        let found = ProgramChecks.findings(settings) + features.findings(settings)
        return found + ProgramChecks.refusals(problems, besides: found)
    }

    @Test func `without a mistake have no finding but the note on what to register`() throws {
        #expect(Self.findings(try SoundSettings()).map(\.check) == ["D17"])
    }

    @Test(arguments: hosts + certificates + files + merchants)
    func `with one mistake have a finding that names it and says what to do`(mistake: PlantedMistake) throws {
        #expect(mistake.complaints(Self.findings(try mistake.settings())) == [])
    }

    @Test func `with several keys in one file have a note that says which of them seals`() throws {
        var settings = try SoundSettings()
        settings.texts["merchant.secret_file"] = "secret"
        let text = [1, 2].map { "\($0) " + String(repeating: "1a", count: 32) }.joined(separator: "\n")
        settings.files["merchant.secret_file"] = .content(Secret(Array(text.utf8)))
        let found = Self.findings(settings).filter { $0.check == "D43" }
        #expect(found.map(\.severity) == [.note])
        #expect(found.first?.message == "secret has the keys 1, 2; key 2 seals.")
    }

    @Test(arguments: ["fd00::/8", "fc00::/7", "fe80::/10", "FD12:3456::/9", "10.0.0.0/8", "2001:db8::/16"])
    func `may believe a whole network that no stranger is in`(network: String) throws {
        var settings = try SoundSettings()
        settings.texts["trusted_proxies"] = network
        #expect(!Self.findings(settings).contains { $0.check == "D19" })
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
        var settings = try SoundSettings()
        settings.texts["admin_listen"] = address
        settings.files["admin.token_file"] = .content(Secret([UInt8](repeating: 0x41, count: 32)))
        let findings = Self.findings(settings).filter { $0.check == "D49" }
        #expect(findings.map(\.severity) == Array(repeating: .note, count: notes))
        #expect(findings.allSatisfy { $0.subject == "admin_listen" })
    }

    @Test func `may send buyers back to an app's own site, and say nothing of links that no app is served by`() throws {
        var settings = try SoundSettings()
        settings.texts["merchant.app_links"] = "com.example.shop:"
        #expect(Self.findings(settings).filter { $0.severity != .note } == [])
        settings.texts["merchant.app_links"] = "https://shop.example.com"
        settings.texts["merchant.api"] = "true"
        settings.texts["merchant.secret_file"] = "secret"
        settings.files["merchant.secret_file"] = .content(Secret([UInt8](repeating: 7, count: 32)))
        settings.texts["merchant.postage_origins"] = "https://shop.example.com"
        #expect(Self.findings(settings).filter { $0.severity != .note } == [])
    }

    @Test func `with TLS at a balancer need no certificate`() throws {
        var settings = try SoundSettings()
        settings.texts["listen"] = ""
        settings.files = settings.files.filter { $0.key == "provider.private_key" }
        #expect(!Self.findings(settings).contains { $0.check == "D21" })
    }

    @Test func `on loopback may be mild about what only strangers notice`() throws {
        var settings = try SoundSettings()
        settings.texts["web.base_url"] = "https://localhost:8443"
        settings.texts["link.base_url"] = "https://links.localhost:8443"
        settings.texts["listen"] = ""
        settings.texts["profile"] = "compat"
        let report = Report(Self.findings(settings))
        #expect(report.findings.filter { $0.severity != .note }.map(\.check) == ["D02"])
        #expect(report.exitStatus(isStrict: false) == 0)
    }

    @Test func `that the program refuses for another reason are told once`() throws {
        var settings = try SoundSettings()
        settings.texts["provider.merchant_id"] = "nobody"
        let problems = [
            ProgramChecks.Problem(setting: "loops", text: "not a whole number from 0 to 256"),
            ProgramChecks.Problem(setting: "provider", text: "the merchant id is malformed"),
        ]
        let errors = Self.findings(settings, problems).filter { $0.severity == .error }
        #expect(errors.map(\.check).sorted() == ["D00", "D30"])
        #expect(errors.first { $0.check == "D00" }?.line.hasPrefix("D00 error loops: Not a whole number") == true)
    }

    @Test func `never show a secret`() throws {
        var settings = try SoundSettings()
        settings.files["tls.certificate"] = .content(Secret(Array("canary-1234".utf8)))
        let report = Report(Self.findings(settings))
        #expect(report.worst == .error)
        #expect(!report.text.contains("canary-1234"))
        #expect(!report.json.contains("canary-1234"))
    }
}

extension `Settings of the whole program` {
    static let hosts: [PlantedMistake] = [
        .texts("D01", at: "link.base_url", ["link.base_url": "https://pay.example.com"]),
        .texts("D01", at: "link.base_url", ["link.base_url": "https://PAY.example.com."]),
        .texts(
            "D01",
            at: "link.base_url",
            ["web.base_url": "https://localhost", "link.base_url": "https://127.0.0.1"]
        ),
        .texts("D02", at: "web.base_url", ["web.base_url": "https://192.0.2.1"]),
        .texts("D02", at: "link.base_url", ["link.base_url": "https://[2001:db8::1]"]),
        .texts("D02", at: "link.base_url", ["link.base_url": "https://pay-links.example.com:8443"]),
        .texts("D02", .warning, at: "link.base_url", ["link.base_url": "https://links.localhost:8443", "listen": ""]),
        .texts("D02", at: "web.base_url", ["web.base_url": "https://Pay.example.com"]),
        .texts("D02", at: "web.base_url", ["web.base_url": "https://pay.example.com."]),
        .texts("D02", at: "web.base_url", ["web.base_url": "https://co.jp"]),
        .texts("D02", at: "web.base_url", ["web.base_url": "https://shop"]),
        .texts("D03", at: "web.base_url", ["web.base_url": "http://pay.example.com"]),
        .texts("D03", .warning, at: "link.base_url", ["link.base_url": "http://links.localhost"]),
        .texts("D19", at: "trusted_proxies", ["trusted_proxies": "*"]),
        .texts("D19", at: "trusted_proxies", ["trusted_proxies": "10.0.0.1,0.0.0.0/0"]),
        .texts("D19", at: "trusted_proxies", ["trusted_proxies": "::/0"]),
        .texts("D19", at: "trusted_proxies", ["trusted_proxies": "128.0.0.0/1"]),
        .texts("D19", at: "trusted_proxies", ["trusted_proxies": "2000::/3"]),
        .texts("D19", at: "trusted_proxies", ["trusted_proxies": "fc00::/6"]),
        .texts("D19", at: "trusted_proxies", ["trusted_proxies": "fe80::/9"]),
    ]

    static let certificates: [PlantedMistake] = [
        PlantedMistake("an expired certificate", "D21", at: "tls.certificate") { settings in
            settings.files["tls.certificate"] = try content(at: -500)
        },
        PlantedMistake("a certificate of tomorrow", "D21", at: "tls.certificate") { settings in
            settings.files["tls.certificate"] = try content(at: 2)
        },
        PlantedMistake("a certificate that ends next week", "D21", .warning, at: "tls.certificate") { settings in
            settings.files["tls.certificate"] = try content(at: -390)
        },
        PlantedMistake("a certificate for one host", "D21", at: "tls.certificate") { settings in
            settings.files["tls.certificate"] = try content(for: [.host("pay.example.com")])
        },
        PlantedMistake("a wildcard one label too high", "D21", at: "tls.certificate") { settings in
            settings.files["tls.certificate"] = try content(for: [.host("*.com")])
        },
        PlantedMistake("no certificate in the file", "D21", at: "tls.certificate") { settings in
            settings.files["tls.certificate"] = .content(Secret(Array("nothing".utf8)))
        },
        PlantedMistake("a second certificate that expired", "D21", at: "tls.second_certificate") { settings in
            settings.files["tls.second_certificate"] = try content(at: -500)
        },
        PlantedMistake("a key that cannot be read", "D21", at: "tls.key") { settings in
            settings.files["tls.key"] = .unreadable("notFound")
        },
        PlantedMistake("the certificate itself", "D21", at: "tls.certificate") { $0.write("tls.certificate") },
        PlantedMistake("the key of the certificate itself", "D21", at: "tls.key") { $0.write("tls.key") },
        PlantedMistake("no certificate", "D21", at: "tls.certificate") { $0.files["tls.certificate"] = nil },
    ]

    private static func content(
        for names: [CertificateName] = SoundSettings.hosts,
        at days: Int64 = 0
    ) throws -> ExaminedSettings.File {
        let time = SoundSettings.present + .seconds(days * 86_400)
        return .content(Secret(try SoundSettings.certificate(for: names, at: time).certificatePEM))
    }

    static let files: [PlantedMistake] = [
        .texts("D49", at: "admin_listen", ["admin_listen": "0.0.0.0:8444"]),
        .texts("D49", at: "admin_listen", ["admin_listen": "[::]:8444"]),
        .texts("D49", at: "admin_listen", ["admin_listen": "192.0.2.1:8444"]),
        PlantedMistake("a token of 31 characters", "D49", at: "admin.token_file") { settings in
            settings.files["admin.token_file"] = .content(Secret([UInt8](repeating: 0x41, count: 31)))
        },
        PlantedMistake("a token that cannot be read", "D49", at: "admin.token_file") { settings in
            settings.files["admin.token_file"] = .unreadable("no such file")
        },
        PlantedMistake("the token itself", "D49", at: "admin.token_file") { $0.write("admin.token_file") },
        PlantedMistake("a key that everybody may read", "D54", at: "tls.key") { settings in
            settings.exposures["tls.key"] = "is open to every user of this machine"
        },
        .texts("D55", .warning, at: "debug.core_dumps", ["debug.core_dumps": "true"]),
    ]

    static let merchants: [PlantedMistake] = [
        .texts("D43", .warning, at: "merchant.secret_file", ["merchant.api": "true", "merchant.secret_file": ""]),
        .texts("D44", at: "merchant.postage_origins", ["merchant.postage_origins": "https://shop.example.com"]),
        PlantedMistake("postage without an interface", "D44", .warning, at: "merchant.postage_origins") { settings in
            settings.texts["merchant.postage_origins"] = "https://shop.example.com"
            settings.texts["merchant.secret_file"] = "secret"
            settings.files["merchant.secret_file"] = .content(Secret([UInt8](repeating: 7, count: 32)))
        },
        .texts(
            "D45",
            .warning,
            at: "merchant.app_links",
            ["merchant.api": "true", "merchant.app_links": "com.example.shop:"]
        ),
        .texts(
            "D45",
            at: "merchant.app_links",
            ["merchant.api": "true", "merchant.app_links": "https://shop.example.com,https://pay.example.com:8443"]
        ),
        PlantedMistake("a secret of 31 bytes", "D43", at: "merchant.secret_file") { settings in
            settings.texts["merchant.secret_file"] = "secret"
            settings.files["merchant.secret_file"] = .content(Secret([UInt8](repeating: 7, count: 31)))
        },
        PlantedMistake("a line that is no key", "D43", at: "merchant.secret_file") { settings in
            settings.texts["merchant.secret_file"] = "secret"
            let text = "1 " + String(repeating: "1a", count: 32) + "\n2 "
            settings.files["merchant.secret_file"] = .content(Secret(Array(text.utf8)))
        },
        PlantedMistake("a secret that cannot be read", "D43", at: "merchant.secret_file") { settings in
            settings.texts["merchant.secret_file"] = "secret"
            settings.files["merchant.secret_file"] = .unreadable("notFound")
        },
        PlantedMistake("the secret itself", "D43", at: "merchant.secret_file") { $0.write("merchant.secret_file") },
    ]
}
