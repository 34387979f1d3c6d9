import Pages
import Testing

@testable import Checkout

/// The content security policies, and whether the pages stay inside them.
@Suite struct `A content security policy` {
    private static let loopback = source("https://127.0.0.1:9443")

    @Test func `of a page with the provider's script names its hosts`() {
        let hosts = ProviderHosts(
            scripts: [Self.source("https://static-fe.payments-amazon.com")],
            styles: [],
            images: [Self.source("https://*.media-amazon.com")],
            pages: [Self.loopback, Self.source("https://payments.amazon.co.jp")]
        )
        #expect(
            ProviderPolicy(hosts: hosts, reportGroup: "csp").text(Samples.nonce)
                == "default-src 'none'; script-src 'nonce-AAECAwQFBgcICQoLDA0ODw' https://static-fe.payments-amazon.com; "
                + "style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data: https://*.media-amazon.com; "
                + "connect-src 'self' https://127.0.0.1:9443 https://payments.amazon.co.jp; "
                + "frame-src https:; form-action 'self' https:; "
                + "base-uri 'none'; frame-ancestors 'none'; report-to csp"
        )
    }

    /// Browsers hold each redirect behind a form, and each page that a frame goes on to, against the page's policy.
    @Test func `lets the provider send the buyer on to hosts that no setting names`() {
        let policy = ProviderPolicy(hosts: .none).text(Samples.nonce)
        #expect(policy.contains("frame-src https:; form-action 'self' https:; "))
    }

    @Test func `names hosts without TLS, which simulators have`() {
        let plain = Self.source("http://127.0.0.1:9443")
        let hosts = ProviderHosts(scripts: [], styles: [], images: [], pages: [plain, Self.loopback])
        let policy = ProviderPolicy(hosts: hosts).text(Samples.nonce)
        #expect(policy.contains("frame-src https: \(plain.text); form-action 'self' https: \(plain.text); "))
    }

    @Test(
        arguments: [
            "", "*", "'unsafe-inline'", "https:", "https://", "https://a b", "https://a;script-src *", "https://a/path",
            "data:", "https://a,b", "ftp://a", "https://a'",
        ]
    ) func `takes no source that is more than a host`(text: String) {
        #expect(ProviderHosts.Source(text) == nil)
    }

    @Test(arguments: everyPage) func `allows what the page does`(page: RenderedPage) {
        let tags = ScannedDocument(page.text).tags
        let policy = Self.policy(of: page.name)
        let runs = tags.contains { $0.name == "script" && $0.value("type") == nil }
        #expect(!runs || policy.contains("script-src 'nonce-\(Samples.nonce.text)'"))
        for form in tags where form.name == "form" {
            guard let action = form.value("action") else { continue }
            let allowed = policy.contains(action.hasPrefix("/") ? "form-action 'self'" : "form-action 'self' https:;")
            #expect(allowed, "\(action)")
        }
        for image in tags where image.name == "img" || image.value("rel") == "icon" {
            #expect(policy.contains("img-src"))
        }
    }

    @Test(arguments: everyPage) func `never lets a page be framed or rebased`(page: RenderedPage) {
        let policy = Self.policy(of: page.name)
        #expect(policy.hasPrefix("default-src 'none'; "))
        #expect(policy.contains("base-uri 'none'"))
        #expect(policy.contains("frame-ancestors 'none'"))
    }

    /// The policy that the comment of each function of the renderer names.
    private static func policy(of page: String) -> String {
        let nonce = Samples.nonce
        switch page.prefix(while: { $0 != "-" && $0 != "." }) {
        case "cart", "result": return ContentSecurityPolicy.scripted(nonce)
        case "button", "confirm":
            let hosts = ProviderHosts(scripts: [loopback], styles: [loopback], images: [loopback], pages: [loopback])
            return ProviderPolicy(hosts: hosts).text(nonce)
        case "open": return ContentSecurityPolicy.interstitial(nonce)
        case "link": return ContentSecurityPolicy.linkFallback(nonce)
        case "canceled": return ContentSecurityPolicy.form
        default: return ContentSecurityPolicy.plain
        }
    }

    private static func source(_ text: String) -> ProviderHosts.Source {
        Samples.parsed(text, ProviderHosts.Source.init)
    }
}
