import FeatureTestKit
import HTTPCore
import Operations
import ServerCore
import TestKit
import Testing

@testable import Checkout

@Suite struct `Fields of pages, behind a balancer` {
    private static let fields = [
        ("Strict-Transport-Security", "max-age=63072000; includeSubDomains"), ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"), ("Permissions-Policy", "camera=()"), ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Content-Security-Policy", "default-src 'none'; script-src 'nonce-abc'; frame-ancestors 'none'"),
    ]

    /// The fields with another value of one of them; without it for `nil`.
    private static func fields(_ name: String, _ value: String?) -> [(String, String)] {
        fields.compactMap { field in field.0 == name ? value.map { (name, $0) } : field }
    }

    /// What is found where a page arrives with other fields.
    private func lines(_ fields: [(String, String)]) async -> [String] {
        let hosts = AnswersByURL(ManualClock())
        hosts.answers = ["https://pay.example.com/page": InboundResponse(status: 200, fields: fields)]
        let pages = ["https://pay.example.com", "https://away.example.com"].map {
            PageChecks.Page(BaseURL("web.base_url", $0), "/page", Self.fields)
        }
        return await PageChecks(pages: pages, exchange: hosts).findings().map(\.line)
    }

    /// A field and what became of it; `nil` where it is gone.
    static let weakened: [(String, String?)] = [
        ("Strict-Transport-Security", nil), ("Strict-Transport-Security", "max-age=31536000; includeSubDomains"),
        ("Strict-Transport-Security", "max-age=63072000"), ("X-Content-Type-Options", nil),
        ("X-Frame-Options", "SAMEORIGIN"), ("Permissions-Policy", "camera=*"), ("Cache-Control", "public"),
        ("Referrer-Policy", nil), ("Referrer-Policy", "unsafe-url"), ("Cross-Origin-Opener-Policy", nil),
        ("Cross-Origin-Opener-Policy", "unsafe-none"), ("Cross-Origin-Resource-Policy", nil),
        ("Cross-Origin-Resource-Policy", "cross-origin"),
        ("Content-Security-Policy", "default-src *; frame-ancestors 'none'"),
    ]

    @Test(arguments: weakened)
    func `are missed where one is weakened`(change: (String, String?)) async {
        let lines = await lines(Self.fields(change.0, change.1))
        let start = "D25 error https://pay.example.com/page: \(change.0) is "
        #expect(lines.count == 1 && lines[0].hasPrefix(start), "\(lines)")
    }

    @Test func `are missed where a second, weaker value is added`() async {
        let lines = await lines(Self.fields + [("referrer-policy", "unsafe-url")])
        #expect(lines.count == 1 && lines[0].contains("Referrer-Policy is unsafe-url"), "\(lines)")
    }

    @Test(arguments: [
        ("Strict-Transport-Security", "max-age=94608000;includeSubDomains; preload"), ("X-Frame-Options", "deny"),
        ("Content-Security-Policy", "default-src 'none';script-src 'nonce-xyz';frame-ancestors 'none'"),
    ])
    func `may differ in what is of no importance`(name: String, value: String) async {
        #expect(await lines(Self.fields(name, value)) == [])
    }
}
