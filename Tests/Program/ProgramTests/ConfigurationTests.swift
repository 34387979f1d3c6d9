import AmazonPay
import EventIO
import HTTPClient
import Primitives
import ServerCore
import SessionBroker
import Settings
import TLS
import TestKit
import Testing
import Webhooks

@testable import Checkout
@testable import Program

/// Reads settings, and gives the problems where there are any.
private func problems(_ environment: [String: String], file: String? = nil) -> [String] {
    do {
        _ = try configuration(environment, file: file)
        return []
    } catch {
        return error.problems
    }
}

private func configuration(
    _ environment: [String: String] = [:],
    file: String? = nil
) throws(ConfigurationError) -> Configuration {
    try Configuration(SettingSource(file: file.map { Array($0.utf8) }, environment: environment))
}

@Suite struct `The configuration` {
    @Test func `is whole without any setting`() throws {
        let defaults = try configuration()
        #expect(try defaults.checkout().policy.profile == .standard)
        #expect(defaults.listeners.web.text == "https://localhost:8443")
        #expect(defaults.printed.map(\.name) == Configuration.settings.map(\.name))
    }

    @Test func `names all problems at once`() {
        let found = problems([
            "SALLYPORT_PROFILE": "lax", "SALLYPORT_LOOPS": "many", "SALLYPORT_SESSION_IDLE": "3 days",
            "SALLYPORT_LISTEN": "localhost", "SALLYPORT_WEB_BASE_URL": "https://Shop.example/path",
            "SALLYPORT_HSTS_INCLUDE_SUBDOMAINS": "yes", "SALLYPORT_NO_SUCH_THING": "1",
            "SALLYPORT_APPS_IOS": "{}",
        ])
        let settings = [
            "profile", "loops", "session.idle", "listen", "web.base_url", "hsts.include_subdomains",
            "SALLYPORT_NO_SUCH_THING", "SALLYPORT_APPS_IOS",
        ]
        for setting in settings {
            #expect(found.contains { $0.hasPrefix(setting + ": ") }, "\(setting): \(found)")
        }
    }

    @Test func `takes the documented limits of the account unless others are set`() throws {
        func limits(_ texts: [String: String] = [:]) throws -> (QuotaTable, ProviderSettings) {
            let read = try configuration(Dictionary(uniqueKeysWithValues: texts.map { ("SALLYPORT_" + $0, $1) }))
            let provider = try read.checkout().provider
            return (provider.simulatorQuota, provider)
        }
        let (simulatorQuota, defaults) = try limits()
        #expect(simulatorQuota == .live && defaults.quotaProcesses == 1 && defaults.quotas.isEmpty)
        let (unlimited, set) = try limits([
            "SIMULATOR_QUOTA": "none", "PROVIDER_QUOTA_PROCESSES": "3", "PROVIDER_QUOTA_GET_CHARGE": "36/7.2",
        ])
        #expect(unlimited == .unlimited && set.quotaProcesses == 3)
        #expect(set.quotas == [.getCharge: CallRate(burst: 36, perSecond: 7.2)])
    }

    @Test func `refuses limits that let nothing through or are none`() {
        let found = problems([
            "SALLYPORT_PROVIDER_QUOTA_PROCESSES": "0", "SALLYPORT_PROVIDER_QUOTA_COMPLETE": "0/4",
            "SALLYPORT_PROVIDER_QUOTA_GET": "lots", "SALLYPORT_SIMULATOR_QUOTA": "some",
        ])
        for setting in ["provider.quota_processes", "provider.quota.complete", "provider.quota.get", "simulator.quota"]
        {
            #expect(found.contains { $0.hasPrefix(setting + ": ") }, "\(setting): \(found)")
        }
    }

    @Test func `derives ticket keys from their secret and their period alone`() throws {
        func key(_ period: Int64, _ secret: UInt8) -> [UInt8]? {
            Configuration.ticketKey(of: period, from: Secret([UInt8](repeating: secret, count: 32)))?.reveal()
        }
        let first = try #require(key(247_000, 1))
        #expect(first.count == TLSTicketKeys.keyBytes)
        #expect(key(247_000, 1) == first)
        #expect(key(247_001, 1) != first)
        #expect(key(247_000, 2) != first)
    }

    @Test func `refuses a ticket secret that is missing or short`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/ticket.secret"
            let configuration = try configuration(["SALLYPORT_TLS_TICKET_SECRET": path])
            #expect(throws: ConfigurationError.self) { try configuration.ticketKeys() }
            try Files.write(path, [UInt8](repeating: 7, count: 31))
            #expect(throws: ConfigurationError.self) { try configuration.ticketKeys() }
            try Files.write(path, [UInt8](repeating: 7, count: 32))
            _ = try configuration.ticketKeys()
        }
    }

    static let single: [(String, String, String)] = [
        ("LINK_BASE_URL", "https://localhost:8443", "link.base_url"),
        ("WEB_BASE_URL", "http://shop.example", "web.base_url"),
        ("WEB_BASE_URL", "http://127.shop.example", "web.base_url"),
        ("CLEAR_LISTEN", "0.0.0.0:80", "clear_listen"), ("ADMIN_LISTEN", "0.0.0.0:8444", "admin_listen"),
        ("TRUSTED_PROXIES", "*", "trusted_proxies"), ("TRUSTED_PROXIES", "0.0.0.0/0", "trusted_proxies"),
        ("LISTEN", "", "listen"), ("SESSION_LAUNCH", "601", "session.launch"),
        ("SESSION_ABSOLUTE", "5m", "session.idle"),
        ("SESSION_LEASE", "30s", "session.lease"), ("LIMITS_BODY_BYTES", "-1", "limits.body_bytes"),
        ("LIMITS_BODY_BYTES", "1e4", "limits.body_bytes"), ("OPEN_MODE", "post", "open.mode"),
        ("PROOF_APP", "false", "proof.app"), ("LOG_LEVEL", "loud", "log_level"),
        ("PROVIDER_REGION", "uk", "provider.region"), ("PROVIDER_REGION", "na", "provider.region"),
        ("PROVIDER_LEDGER_CURRENCY", "EUR", "provider.ledger_currency"),
        ("MERCHANT_POSTAGE_KEYS", "", "merchant.postage_keys"),
        ("MERCHANT_POSTAGE_KEYS", "0", "merchant.postage_keys"),
        ("MERCHANT_POSTAGE_KEYS", "2,2", "merchant.postage_keys"),
        ("MERCHANT_POSTAGE_KEYS", "3,2,1", "merchant.postage_keys"),
        ("MERCHANT_POSTAGE_KEYS", "new", "merchant.postage_keys"),
        ("MERCHANT_POSTAGE_ORIGINS", "https://shop.example", "merchant.postage_origins"),
        ("WEB_BASE_URL", "https://shop.example:70000", "web.base_url"), ("WEB_BASE_URL", "//shop", "web.base_url"),
    ]

    @Test(arguments: single)
    func `refuses a value that cannot work`(_ name: String, _ value: String, _ setting: String) {
        let found = problems(["SALLYPORT_" + name: value])
        #expect(found.contains { $0.hasPrefix(setting + ": ") }, "\(found)")
    }

    @Test func `asks for postage at https origins, and at this machine's where that is allowed`() throws {
        func found(_ origins: String, _ isLoopbackAllowed: Bool) -> [String] {
            problems([
                "SALLYPORT_MERCHANT_SECRET_FILE": "secret", "SALLYPORT_MERCHANT_POSTAGE_ORIGINS": origins,
                "SALLYPORT_WEBHOOKS_ALLOW_LOOPBACK": "\(isLoopbackAllowed)",
            ])
        }
        #expect(found("https://shop.example, https://shop.example:8443", false) == [])
        for own in ["http://127.0.0.1:8098", "http://localhost", "https://localhost:8443", "https://127.1"] {
            #expect(found(own, true) == [])
            #expect(found(own, false).count == 1)
        }
        for odd in ["http://shop.example", "https://shop.example/", "https://shop.example/p", "shop.example", "*"] {
            #expect(found(odd, true).count == 1)
        }
    }

    @Test func `takes a shop's colour, https addresses and single lines, and nothing else`() throws {
        let shop = try configuration([
            "SALLYPORT_SHOP_ACCENT": "#7a1f3d", "SALLYPORT_SHOP_LEGAL_URL": "https://shop.example/legal",
            "SALLYPORT_SHOP_DELIVERY": "3営業日以内", "SALLYPORT_SHOP_PAYMENT_EN": "On dispatch",
        ])
        #expect(shop.site.accent != nil)
        #expect(try configuration().site.accent == nil)
        for (name, odd) in [
            ("accent", "#fff"), ("legal_url", "http://shop.example"), ("terms_url", "javascript:alert(1)"),
            ("privacy_url", "https://"), ("contact_url", "mailto:a@b.example"), ("delivery", "a\nb"),
            ("payment", "a\nb"), ("returns_en", String(repeating: "a", count: 301)),
            ("registration_number", "T123456789012"), ("registration_number", "t1234567890123"),
            ("registration_number", "T12345678901234"), ("registration_number", "T１23456789012"),
        ] {
            let found = problems(["SALLYPORT_SHOP_\(name.uppercased())": odd])
            #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("shop.\(name): ") }, "\(odd): \(found)")
        }
    }

    @Test func `takes the number of an issuer of qualified invoices`() {
        #expect(problems(["SALLYPORT_SHOP_REGISTRATION_NUMBER": "T1234567890123"]) == [])
    }

    @Test func `asks merchants' servers for little, and believes whom it believes of endpoints`() throws {
        let own = try configuration([:]).features.read(WebhookDelivery.self).settings.inquiries.configuration
        #expect(own.trust == .system && own.bodyLimit == 4_096)
        let other = try configuration(["SALLYPORT_WEBHOOKS_CA_FILE": "authority.pem"]).features
            .read(WebhookDelivery.self).settings
        #expect(other.inquiries.configuration.trust == .file(path: "authority.pem"))
        #expect(other.outbound.configuration.trust == .file(path: "authority.pem"))
    }

    @Test func `refuses a window of HTTP/2 that the greatest body does not fit into`() throws {
        let bodies = ["SALLYPORT_LIMITS_BODY_BYTES": "262145"]
        #expect(problems(bodies).contains { $0.hasPrefix("http2.connection_window: ") })
        let both = bodies.merging(["SALLYPORT_HTTP2_CONNECTION_WINDOW": "262145"]) { $1 }
        #expect(try configuration(both).limits.bodyBytes == 262_145)
    }

    @Test func `takes the environment before the file, and the file before the default`() throws {
        let file = #"{"session":{"idle":"20m","absolute":"3h"},"trusted_proxies":["10.0.0.1","10.0.0.2"],"loops":3}"#
        let found = try configuration(["SALLYPORT_SESSION_IDLE": "25m"], file: file)
        let times = try found.checkout().policy.times
        #expect(times.idle == .seconds(1500))
        #expect(times.absolute == .seconds(10_800))
        #expect(times.launch == .seconds(300))
        #expect(found.listeners.trustedProxies == ["10.0.0.1", "10.0.0.2"])
        #expect(found.listeners.loops == 3)
    }

    @Test(arguments: [
        (#"{"session":{"idel":"20m"}}"#, "session.idel: no such setting"), ("[]", "configuration file: "),
        ("{", "configuration file: not JSON"), (#"{"loops":[1]}"#, "loops: not a single value"),
        (#"{"apps":{"ios":[{"bundle":"x","team":"y"}]}}"#, "apps.ios[0]: "),
        (#"{"loops":1,"loops":2}"#, "configuration file: loops is there twice"),
        (#"{"session":{"idle":"20m","\u0069dle" :"30m"}}"#, "configuration file: session.idle is there twice"),
        (#"{"session":{},"loops":1,"session":{}}"#, "configuration file: session is there twice"),
        (
            #"{"apps":{"ios":[{"bundle":"a"},{"bundle":"{\"","bundle":"c"}]}}"#,
            "configuration file: apps.ios[1].bundle is there twice"
        ),
    ])
    func `refuses a file with something else in it`(_ file: String, _ problem: String) {
        let found = problems([:], file: file)
        #expect(found.contains { $0.hasPrefix(problem) }, "\(found)")
    }

    @Test(arguments: [
        (["SALLYPORT_LISTEN": "foo"], "listen: not an address"),
        (["SALLYPORT_SESSION_IDLE": "x"], "session.idle: not a duration"),
        (["SALLYPORT_WEB_BASE_URL": "http://x/y"], "web.base_url: not an origin"),
    ])
    func `draws no conclusion from what is wrong already`(environment: [String: String], problem: String) {
        let found = problems(environment)
        #expect(found.count == 1 && found[0].hasPrefix(problem), "\(found)")
    }

    @Test func `of a demo has its hosts where it listens`() throws {
        func hosts(_ environment: [String: String]) throws -> [String] {
            let source = DemoDefaults.fill(SettingSource(file: nil, environment: environment))
            let listeners = try Configuration(source).listeners
            return [listeners.web.text, listeners.link.text]
        }
        #expect(try hosts([:]) == ["https://localhost:8443", "https://links.localhost:8443"])
        let listen = ["SALLYPORT_LISTEN": "127.0.0.1:23543"]
        #expect(try hosts(listen) == ["https://localhost:23543", "https://links.localhost:23543"])
        let named = listen.merging(["SALLYPORT_WEB_BASE_URL": "https://shop.test"]) { $1 }
        #expect(try hosts(named) == ["https://shop.test", "https://links.localhost:23543"])
        // The kernel's choice is not known yet.
        #expect(try hosts(["SALLYPORT_LISTEN": "127.0.0.1:0"])[0] == "https://localhost:8443")
    }

    @Test func `takes the same name in different objects, and a name as a value`() throws {
        let apps = #"[{"prefix":"ABCDE12345","bundle":"prefix"},{"prefix":"ABCDE12345","bundle":"bundle"}]"#
        let found = try configuration(["SALLYPORT_APPS_IOS": apps], file: #"{"web":{},"tls":{"key":"key"}}"#)
        #expect(try found.checkout().apps.ios.map(\.bundle) == ["prefix", "bundle"])
        let twice = apps.replacing(#""bundle":"bundle""#, with: #""bundle":"b","bundle":"c""#)
        #expect(problems(["SALLYPORT_APPS_IOS": twice]) == ["SALLYPORT_APPS_IOS: [1].bundle is there twice"])
    }

    @Test func `lets the profile fill what is left empty`() throws {
        let strict = try configuration(["SALLYPORT_PROFILE": "strict", "SALLYPORT_OPEN_MODE": "auto_post"])
            .checkout().policy
        #expect(strict.openMode == .autoPost)
        #expect(strict.verifier == .required)
        let compat = try configuration(["SALLYPORT_PROFILE": "compat"])
        #expect(try compat.checkout().policy.cookieNames == .plain)
        #expect(compat.printed.first { $0.name == "open.clean_url" }?.value == "false")
    }

    @Test func `is printed whole, secrets hidden`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/settings.json"
            try Files.write(path, Array(#"{"database_url":"postgresql://me:hunter2@db/shop"}"#.utf8), mode: 0o600)
            let result = await run(["serve", "--config", path, "--print-config"])
            #expect(result.status == 0)
            #expect(result.output.contains("database_url = <secret>\n"))
            #expect(!result.output.contains("hunter2"))
            #expect(result.output.contains("session.idle = 30m\n"))
            #expect(result.output.split(separator: "\n").count == Configuration.settings.count)
            let missing = await run(["serve", "--config", folder + "/none.json"])
            #expect(missing.status == 2)
            #expect(missing.complaints.contains("none.json cannot be read"))
        }
    }

    @Test func `is printed as a file that is read as the same settings, secrets left out`() async throws {
        try await withTemporaryFolder { folder in
            let environment = [
                "SALLYPORT_DATABASE_URL": "postgresql://me:hunter2@db/shop", "SALLYPORT_PROFILE": "strict",
                "SALLYPORT_TRUSTED_PROXIES": "10.0.0.1,10.0.0.2", "SALLYPORT_DEBUG_CORE_DUMPS": "true",
                "SALLYPORT_APPS_IOS": #"[{"prefix":"ABCDE12345","bundle":"com.example.shop"}]"#,
            ]
            let first = await run(["serve", "--print-config=json"], environment: environment)
            #expect(first.status == 0)
            #expect(!first.output.contains("hunter2") && !first.output.contains("database_url"))
            #expect(!first.output.contains("core_dumps"), "set by a variable only")
            #expect(first.output.contains("  \"trusted_proxies\": [\"10.0.0.1\",\"10.0.0.2\"],\n"))
            #expect(
                first.output.contains("\n  \"admin\": {\n    \"token_file\": \"\",\n    \"base_url\": \"\"\n  },\n")
            )
            let path = folder + "/settings.json"
            try Files.write(path, Array(first.output.utf8), mode: 0o600)
            let read = await run(["serve", "--config", path, "--print-config=json"])
            #expect(read.status == 0)
            #expect(read.output == first.output)
            let unset = environment.filter { $0.key != "SALLYPORT_DATABASE_URL" && !$0.key.contains("CORE_DUMPS") }
            let lines = await run(["serve", "--print-config"], environment: unset).output
            #expect(await run(["serve", "--config", path, "--print-config"]).output == lines)
        }
    }

    @Test func `is refused at the start where the provider would refuse the shop's own texts`() async {
        let environment = [
            "SALLYPORT_PROVIDER_MERCHANT_ID": "A1EXAMPLE2MERCH",
            "SALLYPORT_PROVIDER_STORE_NAME": String(repeating: "店", count: 51),
            "SALLYPORT_WEB_BASE_URL": "https://" + String(repeating: "a.", count: 255) + "jp",
        ]
        let result = await run(["serve"], environment: environment)
        #expect(result.status == 2)
        #expect(result.complaints.contains("provider.store_name: the store name is longer than 50 characters\n"))
        #expect(result.complaints.contains("web.base_url: https://a.a.") && result.complaints.contains("than 512 char"))
        #expect(result.complaints.contains("provider.private_key"))
    }

    @Test func `never repeats a secret in a complaint`() async {
        let environment = ["SALLYPORT_DATABASE_URL": "postgresql://me:hunter2@db/shop", "SALLYPORT_LOOPS": "x"]
        let result = await run(["serve"], environment: environment)
        #expect(result.status == 2)
        #expect(result.complaints.contains("loops: "))
        #expect(!result.complaints.contains("hunter2"))
    }
}
