import AmazonPay
import Primitives
import Testing

@Suite("The settings of an account")
struct ConfigurationTests {
    // MARK: Key ids

    @Test(arguments: [
        ("SANDBOX-AFTESTKEY0000000000000001", AmazonPayEnvironment.sandbox), ("LIVE-AFTESTKEY0000000000000001", .live),
        ("sandbox-AFTESTKEY0000000000000001", .sandbox), ("Live-AFTESTKEY00000000000", .live),
        ("AFTESTKEY000000000000001", nil), ("AFTESTKEY00000000000", nil), (String(repeating: "A", count: 40), nil),
        ("SANDBOXAFTESTKEY0000000000000001", nil),
    ])
    func `accept key ids with and without prefix`(text: String, environment: AmazonPayEnvironment?) throws {
        let id = try #require(PublicKeyID(text))
        #expect(id.text == text)
        #expect(id.environment == environment)
    }

    @Test(arguments: [
        "", "AFTESTKEY", "SANDBOX-", "SANDBOX-AFTESTKEY", "TEST-AFTESTKEY0000000000000001", "AFTESTKEY000000000000000-",
        "SANDBOX-AFTESTKEY000000000000000é", String(repeating: "A", count: 41), "AFTESTKEY000000000000001\n",
        "SANDBOX-LIVE-AFTESTKEY0000000000",
    ])
    func `refuse other key ids`(text: String) {
        #expect(PublicKeyID(text) == nil)
    }

    // MARK: Paths

    @Test(arguments: [
        (TestAccount.keyID, "", "/v2/checkoutSessions/X", AmazonPayEnvironment.sandbox),
        (TestAccount.keyID, "sandbox", "/v2/checkoutSessions/X", .sandbox),
        ("LIVE-AFTESTKEY0000000000000001", "", "/v2/checkoutSessions/X", .live),
        ("AFTESTKEY000000000000001", "sandbox", "/sandbox/v2/checkoutSessions/X", .sandbox),
        ("AFTESTKEY000000000000001", "live", "/live/v2/checkoutSessions/X", .live),
    ])
    func `decide the path by prefix or by word`(
        keyID: String,
        environment: String,
        path: String,
        expected: AmazonPayEnvironment
    ) throws {
        var settings = try TestAccount.settings()
        settings.publicKeyID = keyID
        settings.environment = environment
        let credentials = try Credentials(settings)
        #expect(credentials.path("checkoutSessions/X") == path)
        #expect(credentials.environment == expected)
    }

    // MARK: Problems

    @Test(arguments: [
        ("AFTESTKEY000000000000001", "", "spelled out"), ("AFTESTKEY000000000000001", "test", "neither"),
        (TestAccount.keyID, "live", "contradicts"), ("nothing", "sandbox", "public key id"),
    ])
    func `name the problem of key id and environment`(keyID: String, environment: String, problem: String) throws {
        var settings = try TestAccount.settings()
        settings.publicKeyID = keyID
        settings.environment = environment
        let error = try #require(throws: AmazonPayConfigurationError.self) { try Credentials(settings) }
        #expect(error.problems.contains { $0.contains(problem) })
    }

    @Test func `name every problem at once, and no secret`() throws {
        var settings = CredentialSettings()
        settings.privateKeyPEM = Secret(Array("not a key but secret".utf8))
        settings.algorithm = "RSA"
        settings.region = "mars"
        let error = try #require(throws: AmazonPayConfigurationError.self) { try Credentials(settings) }
        #expect(error.problems.count == 6)
        #expect(!error.description.contains("secret"))
        #expect(!"\(settings)".contains("secret but"))
    }

    @Test(arguments: ["", "B0000000000001", "A00", "a0000000000001", "A000000000000é", "A00000000000-1"])
    func `refuse other merchant ids`(text: String) throws {
        var settings = try TestAccount.settings()
        settings.merchantID = text
        #expect(throws: AmazonPayConfigurationError.self) { try Credentials(settings) }
    }

    @Test(arguments: [
        "", "amzn1.application-oa2-client.", "amzn1.application-oa2-client.0000000000000000000000000000000g", "x",
    ])
    func `refuse other store ids`(text: String) throws {
        var settings = try TestAccount.settings()
        settings.storeID = text
        #expect(throws: AmazonPayConfigurationError.self) { try Credentials(settings) }
    }

    @Test(arguments: [
        ("na", AmazonPayRegion.northAmerica, "pay-api.amazon.com"), ("US", .northAmerica, "pay-api.amazon.com"),
        ("eu", .europe, "pay-api.amazon.eu"), ("de", .europe, "pay-api.amazon.eu"),
        ("uk", .europe, "pay-api.amazon.eu"),
        ("jp", .japan, "pay-api.amazon.jp"), ("JP", .japan, "pay-api.amazon.jp"),
    ])
    func `name regions by any alias`(name: String, region: AmazonPayRegion, host: String) throws {
        #expect(AmazonPayRegion(named: name) == region)
        #expect(region.apiHost == host)
        #expect(region.scriptURL.hasSuffix("/checkout.js"))
        #expect(throws: Never.self) { try RedirectPolicy(hosts: region.hostedPageHosts) }
    }

    // MARK: Endpoint

    @Test(arguments: [
        ("https://127.0.0.1:9443", "https://127.0.0.1:9443"), ("https://sim.example.test/", "https://sim.example.test"),
        ("http://localhost:9443", "http://localhost:9443"), ("http://sim.localhost", "http://sim.localhost"),
        ("http://[::1]:9443", "http://[::1]:9443"),
    ])
    func `may put a simulator in the service's place`(text: String, origin: String) throws {
        let endpoint = try AmazonPayEndpoint(simulator: text, for: TestAccount.credentials())
        #expect(endpoint.origin == origin)
        #expect(endpoint.isSimulator)
        #expect(AmazonPayEndpoint(.japan).origin == "https://pay-api.amazon.jp")
    }

    @Test(arguments: [
        "", "127.0.0.1:9443", "http://sim.example.test", "http://127.0.0.1.evil.test", "https://sim.example.test/path",
        "https://user@sim.example.test", "https://sim.example.test?x", "ftp://localhost", "https://", "https://:443",
        "https://a:0", "https://a:65536", "https://a:08", "https://A.example", "https://a b", "https://[::1",
        "https://[x]:1",
    ])
    func `refuse an odd address of a simulator`(text: String) throws {
        let credentials = try TestAccount.credentials()
        #expect(throws: AmazonPayConfigurationError.self) { try AmazonPayEndpoint(simulator: text, for: credentials) }
    }

    @Test(arguments: [("LIVE-AFTESTKEY0000000000000001", ""), ("AFTESTKEY000000000000001", "live")])
    func `never send a live key to a simulator`(keyID: String, environment: String) throws {
        var settings = try TestAccount.settings()
        settings.publicKeyID = keyID
        settings.environment = environment
        let credentials = try Credentials(settings)
        let error = try #require(throws: AmazonPayConfigurationError.self) {
            try AmazonPayEndpoint(simulator: "https://127.0.0.1:9443", for: credentials)
        }
        #expect(error.problems.contains { $0.contains("live") })
    }
}

@Suite("The policy for redirects")
struct RedirectPolicyTests {
    private static let page = "/checkout/processing?amazonCheckoutSessionId=3f1c2d9e-7b40-4f0a-9a55-6f2c8f5b0e11"

    @Test(arguments: [
        "https://payments.amazon.co.jp" + page, "https://payments.amazon.co.jp:443" + page,
        "https://sim.example.test:9443" + page,
        "https://payments.amazon.co.jp", "https://payments.amazon.co.jp/",
    ])
    func `lets buyers go to a listed host`(url: String) throws {
        #expect(try RedirectPolicy(hosts: ["payments.amazon.co.jp", "sim.example.test:9443"]).allows(url))
    }

    @Test func `knows a listed host by its port and without it`() throws {
        for host in ["payments.amazon.co.jp", "payments.amazon.co.jp:443"] {
            let policy = try RedirectPolicy(hosts: [host])
            #expect(policy.allows("https://payments.amazon.co.jp" + Self.page), "\(host)")
            #expect(policy.allows("https://payments.amazon.co.jp:443" + Self.page), "\(host)")
            #expect(!policy.allows("https://payments.amazon.co.jp:444" + Self.page), "\(host)")
        }
    }

    @Test(arguments: [
        "", "/checkout/processing", "//payments.amazon.co.jp/", "http://payments.amazon.co.jp/",
        "https://payments.amazon.co.jp.evil.test/", "https://evil.test/payments.amazon.co.jp",
        "https://evil.test?https://payments.amazon.co.jp/", "https://payments.amazon.co.jp@evil.test/",
        "https://evil.test@payments.amazon.co.jp/", "https://payments.amazon.co.jp:444/",
        "https://sub.payments.amazon.co.jp/",
        "https://Payments.amazon.co.jp/", "https://payments.amazon.co.jp./",
        "https://payments.amazon.co.jp\\.evil.test/",
        "https:///payments.amazon.co.jp/", "https://evil.test\\@payments.amazon.co.jp/",
        "HTTPS://payments.amazon.co.jp/",
        "https://payments.amazon.co.jp/\r\nSet-Cookie: a=b", "https://payments.amazon.co.jp/ ",
        " https://payments.amazon.co.jp/",
        "https://payments.amazon.co.jp/\"onload", "https://payments.amazon.co.jp/#fragment",
        "https://sim.example.test/",
        "https://payments.amazon.co.jp?x=1", "javascript:alert(1)", "https://ｐayments.amazon.co.jp/",
        "https://payments.amazon.co.jp/" + String(repeating: "a", count: 2048),
    ])
    func `keeps buyers from everything else`(url: String) throws {
        #expect(try !RedirectPolicy(hosts: ["payments.amazon.co.jp", "sim.example.test:9443"]).allows(url))
    }

    @Test func `takes plain http only to a listed host on loopback, and only when told to`() throws {
        let hosts = ["127.0.0.1:9443", "sim.example.test", "localhost:9443"]
        let open = try RedirectPolicy(hosts: hosts, allowsLoopbackHTTP: true)
        #expect(open.allows("http://127.0.0.1:9443/x"))
        #expect(open.allows("http://localhost:9443/x"))
        #expect(!open.allows("http://127.0.0.1:9444/x"))
        #expect(!open.allows("http://sim.example.test/x"))
        #expect(open.allows("https://127.0.0.1:9443/x"))
        #expect(try !RedirectPolicy(hosts: hosts).allows("http://127.0.0.1:9443/x"))
    }

    @Test(arguments: [
        [], ["https://a.example"], ["a.example/"], ["A.example"], ["a.example", ""], ["*.example"], ["a@b"],
    ])
    func `is not made of odd hosts`(hosts: [String]) {
        #expect(throws: AmazonPayConfigurationError.self) { try RedirectPolicy(hosts: hosts) }
    }
}
