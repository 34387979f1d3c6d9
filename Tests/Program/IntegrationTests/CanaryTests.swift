import IntegrationKit
import Primitives
import StrictJSON
import Telemetry
import TestKit
import Testing

/// I5, T10 and T25 of docs/contract.md: what was secret is found nowhere afterwards.
@Suite struct `After whole purchases` {
    static let people = [
        "見本", "太郎", "tokyo@example.test", "153-0064", "目黒区", "下目黒1-8-1", "見本タワー", "0312345678",
    ]

    /// All tokens in the jars and addresses of some browsers.
    private func tokens(_ browsers: [TestBrowser]) -> Set<String> {
        var found: Set<String> = []
        for browser in browsers {
            for text in browser.visited + browser.cookies.map(\.value) {
                for match in text.matches(of: /sw[abcp]_[A-Za-z0-9_-]{43,64}/) { found.insert(String(match.output)) }
            }
        }
        return found
    }

    /// The forms in which a token might turn up; the webview session's id in front of it is no secret.
    private func forms(of token: String) throws -> [String] {
        let body = String(token.drop { $0 != "_" }.dropFirst())
        let secretText = body.count == 64 ? String(body.dropFirst(22)) : body
        // The secret of webhooks is in the other alphabet.
        let plain = body.replacing("+", with: "-").replacing("/", with: "_").filter { $0 != "=" }
        let bytes = try #require(Base64URL.decode(plain)).suffix(32)
        let whole = Base64URL.encode(Array(token.utf8))
        return [
            secretText, Hex.encode(Array(bytes)), Hex.encode(Array(bytes)).uppercased(),
            String(Base64URL.encode(Array(bytes)).dropLast(2)), String(whole.dropLast(2)),
            Hex.encode(Array(token.utf8)),
        ]
    }

    @Test(arguments: ["compat", "standard", "strict"])
    func `no token and no name is in log, database, metrics or webhooks`(_ profile: String) async throws {
        let log = CapturedLog()
        let secretPath = try HookedShop.secretPath()
        var options = ShopOptions(["profile": profile, "log_level": "trace", "merchant.secret_file": secretPath])
        options.logger = log.logger(level: .trace)
        try await withShop(options) { shop in
            var browsers: [TestBrowser] = []
            let receiver = try await WebhookReceiver.start()
            defer { receiver.stop() }
            let added = try await shop.webhooks(["add", receiver.url], secret: secretPath)
            let hookSecret = try #require(added.lines.first?["secret"]?.text)
            let hooks = HookedShop(shop: shop, receiver: receiver, endpoint: added.lines.first?["id"]?.text ?? "")
            for client in ["iosApp", "androidApp", "browser"] {
                var shopper = try await shop.shopper(client)
                shopper.tab = shop.tab(in: client == "browser" ? shopper.app : nil)
                browsers += [shopper.app, shopper.tab.browser]
                var page = try await shopper.tab.cross(shopper.launchPath)
                if profile == "strict", client != "browser" {
                    let link = try ReturnFields(page)
                    #expect(try await shopper.purchase(link).status == 202)
                    page = try await shopper.tab.cross("/button?secureWebviewSessionId=" + (shopper.cart.ticket ?? ""))
                }
                let link = try ReturnFields(page)
                // A thief and a broken client leave no trace either.
                let thief = shop.browser()
                _ = try await thief.fetch("/purchase", link.form)
                _ = try await thief.fetch("/purchase", [("secureWebviewSessionId", link.ticket + "x")])
                _ = try await thief.open("/thanks?secureWebviewSessionId=" + link.ticket)
                #expect(try await shopper.purchase(link).status == 200)
                _ = try await shopper.purchase(link)
                #expect(try await shopper.cart.thanks().text.contains("見本"))
            }
            let metrics = try await shop.browser().request("GET", shop.admin + "/metrics").text
            #expect(metrics.contains("sallyport_refusals_total"))
            let found = tokens(browsers).union([hookSecret])
            #expect(found.count >= 11)
            try await hooks.arrived(3)
            let bodies = receiver.received.map { String(decoding: $0.body, as: UTF8.self) }.joined()
            let places = [
                ("log", log.lines.joined()), ("database", try shop.dump()), ("metrics", metrics), ("webhooks", bodies),
            ]
            for (place, text) in places {
                #expect(!text.isEmpty)
                for token in found {
                    for form in try forms(of: token) { #expect(!text.contains(form), "\(token.prefix(4)) in \(place)") }
                }
                for person in Self.people {
                    #expect(!text.contains(person), "\(person) in \(place)")
                    #expect(!text.contains(Hex.encode(Array(person.utf8))), "\(person) in \(place), hex")
                }
            }
            // B and P travel in cookies alone.
            for browser in browsers {
                for text in browser.received + browser.visited {
                    #expect(!text.contains("swb_") && !text.contains("swp_"))
                }
            }
        }
    }
}
