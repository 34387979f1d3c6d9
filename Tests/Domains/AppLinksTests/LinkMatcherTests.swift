import Testing

@testable import AppLinks

@Suite("The matcher of links")
struct LinkMatcherTests {
    private static let link =
        "https://links.example.com/index.html?secureWebviewSessionId=swc_\(String(repeating: "c", count: 64))"
        + "&old_secureWebviewSessionId=swa_\(String(repeating: "a", count: 64))&accessToken=sealed"
        + "&orderReferenceId=3f1c2d9e-7b40-4f0a-9a55-6f2c8f5b0e11"

    /// The pages of the shop and the documents themselves: none may open the app.
    private static let pages = [
        "https://pay.example.com/", "https://pay.example.com/iosApp/cart", "https://pay.example.com/button",
        "https://pay.example.com/button?secureWebviewSessionId=swa_x", "https://pay.example.com/confirm_order",
        "https://pay.example.com/confirm_order?amazonCheckoutSessionId=3f1c2d9e-7b40-4f0a-9a55-6f2c8f5b0e11",
        "https://pay.example.com/checkout_result", "https://pay.example.com/purchase", "https://pay.example.com/thanks",
        "https://pay.example.com/error", "https://pay.example.com/crt/sample.crt",
        "https://links.example.com/.well-known/apple-app-site-association", "https://links.example.com/index.htm",
        "https://links.example.com/INDEX.HTML", "https://links.example.com/index.html/",
        "https://links.example.com/x/index.html",
    ]

    @Test(arguments: LinkMatcher.Form.allCases)
    func `lets the emitted link open the app in every scope`(form: LinkMatcher.Form) {
        for scope in [LinkRules.Scope.returnLink, .returnPath, .everything] {
            #expect(LinkMatcher(LinkRules(scope)).opens(LinkMatcherTests.link, form))
        }
    }

    @Test(arguments: pages, LinkMatcher.Form.allCases)
    func `keeps every page in the browser`(page: String, form: LinkMatcher.Form) {
        #expect(!LinkMatcher(LinkRules(.returnLink)).opens(page, form))
        #expect(!LinkMatcher(LinkRules(.returnPath)).opens(page, form))
        #expect(LinkMatcher(LinkRules(.everything)).opens(page, form))
    }

    /// Foreign links to the right path: the old form cannot tell, the new one can.
    @Test(arguments: [
        "", "?", "?secureWebviewSessionId=swc_x",
        "?secureWebviewSessionId=&old_secureWebviewSessionId=swa_x&accessToken=s&orderReferenceId=o",
        "?secureWebviewSessionId=swc_&old_secureWebviewSessionId=swa_x&accessToken=s&orderReferenceId=o",
        "?secureWebviewSessionId=swb_x&old_secureWebviewSessionId=swa_x&accessToken=s&orderReferenceId=o",
        "?secureWebviewSessionId=swc_x&old_secureWebviewSessionId=&accessToken=s&orderReferenceId=o",
        "?secureWebviewSessionId=swc_x&old_secureWebviewSessionId=swa_x&accessToken=&orderReferenceId=o",
        "?secureWebviewSessionId=swc_x&old_secureWebviewSessionId=swa_x&accessToken=s",
        "?secureWebviewSessionId=swc_x&old_secureWebviewSessionId=swa_x&accessToken=s&orderReferenceId",
        "?secureWebviewSessionId=swc_x&secureWebviewSessionId=evil&old_secureWebviewSessionId=swa_x&accessToken=s&orderReferenceId=o",
        "#secureWebviewSessionId=swc_x&old_secureWebviewSessionId=swa_x&accessToken=s&orderReferenceId=o",
    ])
    func `keeps links without the four values in the browser where the system can`(query: String) {
        let url = "https://links.example.com/index.html" + query
        #expect(!LinkMatcher(LinkRules(.returnLink)).opens(url, .new))
        #expect(LinkMatcher(LinkRules(.returnLink)).opens(url, .old))
        #expect(LinkMatcher(LinkRules(.returnPath)).opens(url, .new))
    }

    @Test(arguments: [
        ("", "", true), ("", "*", true), ("", "?", false), ("", "?*", false), ("a", "?*", true), ("abc", "?*", true),
        ("abc", "a?c", true), ("abc", "a?", false), ("abc", "*c", true), ("abc", "*b", false), ("abcabc", "*bc", true),
        ("a/b/c", "a/*/c", true), ("a/b/c", "*", true), ("abc", "abc*", true), ("abc", "abc**", true),
        ("abc", "ABC", false),
        ("aaaaaaaaaab", "*a*a*a*c", false), ("swc_x", "swc_?*", true), ("swc_", "swc_?*", false),
    ])
    func `matches patterns as a whole`(text: String, pattern: String, isMatch: Bool) {
        #expect(LinkMatcher.matches(text, pattern) == isMatch)
    }

    @Test(arguments: [
        ("%41", "A", true), ("%2a", "%2a", false), ("%4", "%4", true), ("%-0", "%-0", true), ("%+1", "%+1", true),
    ])
    func `decodes two digits behind a percent sign, and nothing else`(text: String, pattern: String, isMatch: Bool) {
        var options = LinkPattern.Options()
        options.isPercentEncoded = false
        #expect(LinkPattern(pattern, options).matches(text) == isMatch)
    }

    @Test func `lets the first rule decide`() {
        let rules = LinkRules(
            paths: ["NOT /a/*", "/a/b", "*"],
            components: [
                LinkRules.Component(path: "/a/*", query: [], isExcluded: true, comment: ""),
                LinkRules.Component(
                    path: "/*",
                    query: [LinkRules.QueryItem(name: "x", pattern: "*")],
                    isExcluded: false,
                    comment: ""
                ),
            ]
        )
        for form in LinkMatcher.Form.allCases {
            #expect(!LinkMatcher(rules).opens("https://h/a/b", form))
            #expect(LinkMatcher(rules).opens("https://h/b", form))
            #expect(LinkMatcher(rules).opens("/b?x=1", form))
        }
        #expect(!LinkMatcher(LinkRules(paths: [], components: [])).opens("https://h/", .old))
    }
}
