import Testing

@testable import Checkout
@testable import Program

@Suite struct `A browser's report` {
    static let reports: [(String, String, String)] = [
        (
            #"{"csp-report":{"blocked-uri":"inline","effective-directive":"script-src-elem"}}"#, "script-src-elem",
            "inline"
        ),
        (
            #"[{"body":{"effectiveDirective" : "img-src","blockedURL":"https://a.example/x?y"}}]"#, "img-src",
            "https://a.example"
        ),
        (#"{"effectiveDirective":"connect-src","blockedURL":"wss://a.example"}"#, "connect-src", "other"),
        (#"{"effectiveDirective":"Script SRC","blockedURL":"https://A.example\"}"#, "other", "other"),
        (#"{"effectiveDirective":"img-src\n","blockedURL":"https://user@a.example/"}"#, "img-src", "other"),
        (#"{"effectiveDirective":"#, "other", "other"), (#""effectiveDirective"#, "other", "other"),
        ("", "other", "other"),
        (#"{"blockedURL":7,"effectiveDirective":null}"#, "other", "other"),
    ]

    @Test(arguments: reports)
    func `is reduced to two words of a form that is known`(_ body: String, _ directive: String, _ source: String) {
        let report = PolicyReport(Array(body.utf8))
        #expect(report.directive == directive)
        #expect(report.source == source)
    }

    @Test func `of any length never yields a long word`() {
        let long = String(repeating: "a", count: 10_000)
        let report = PolicyReport(Array(#"{"effectiveDirective":"\#(long)","blockedURL":"https://\#(long)"}"#.utf8))
        #expect(report.directive == "other")
        #expect(report.source.utf8.count <= 120)
    }
}
