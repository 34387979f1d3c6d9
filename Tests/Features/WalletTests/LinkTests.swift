import Cryptography
import EventIO
import HTTPCore
import Pages
import Primitives
import StrictJSON
import TestKit
import Testing
import WalletPass

@testable import Wallet

@Suite struct `The link of a member` {
    private static let phone =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 "
        + "Mobile/15E148 Safari/604.1"
    private static let insideAnApp =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148"
    private static let desk =
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15"
    private static let html = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

    private static func fields(
        _ agent: String?,
        _ accept: String?,
        _ language: String? = nil
    ) -> [(
        HTTPFieldName, String
    )] {
        [(.userAgent, agent), (.accept, accept), (.acceptLanguage, language)].compactMap { name, value in
            value.map { (name, $0) }
        }
    }

    @Test(arguments: [(phone, html), ("curl/8.14", "*/*"), (nil, nil), (desk, "*/*"), (phone, "*/*")])
    func `is the card for a phone, and for whoever asks for no page`(agent: String?, accept: String?) async throws {
        try await withWallet { wallet in
            let card = try await wallet.member()
            let reply = try await wallet.ask(.get, card.linkTarget, fields: Self.fields(agent, accept))
            #expect(reply[.contentType] == "application/vnd.apple.pkpass")
            _ = try judged(reply.body, of: card)
        }
    }

    @Test(arguments: [(desk, "ja"), (desk, "en"), (insideAnApp, "en"), ("Mozilla/5.0 (Linux; Android 16)", "fr")])
    func `is a page that leads to the card for other browsers`(agent: String, language: String) async throws {
        try await withWallet { wallet in
            let card = try await wallet.member()
            let fields = Self.fields(agent, Self.html, language)
            let reply = try await wallet.ask(.get, card.linkTarget, fields: fields)
            #expect(reply.status == 200)
            #expect(reply[.contentType] == "text/html; charset=utf-8")
            #expect(reply[.referrerPolicy] == "no-referrer")
            #expect(reply[.cacheControl] == "private, no-store")
            #expect(reply[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
            #expect(reply[.vary] == "Accept, User-Agent")
            let page = String(decoding: reply.body, as: UTF8.self)
            #expect(page.contains(language == "ja" ? #"<html lang="ja""# : #"<html lang="en""#))
            #expect(page.contains("Safari"))
            #expect(!page.contains("<script") && !page.contains("style="))
            // Whoever sits at a computer has the phone beside it.
            let code = try #require(QRCode(card.link))
            let hasCode = page.contains(
                #"aria-label="\#(language == "ja" ? "このページのリンクのQRコード" : "QR code of the link of this page")""#
            )
            #expect(hasCode == (agent == Self.desk))
            #expect(page.contains("d=\"\(code.path)\"") == (agent == Self.desk))
            #expect(!page.contains("山田"))
            let address = try #require(
                page.split(separator: "href=\"/wallet/").dropFirst().first?.split(separator: "\"").first
            )
            let target = "/wallet/" + address.replacing("&amp;", with: "&")
            let file = try await wallet.ask(.get, target, fields: fields)
            #expect(file[.contentType] == "application/vnd.apple.pkpass")
            _ = try judged(file.body, of: card)
            // The page alone is no card that was fetched.
            let fetched = try #require(wallet.process.recorder.take())
            #expect(try JSONParser.parse(Array(fetched.utf8)).elements.count == 1)
        }
    }

    @Test func `is no page without its key, either`() async throws {
        try await withWallet { wallet in
            let card = try await wallet.member()
            let path = try #require(card.linkTarget.split(separator: "?").first)
            for query in ["", "?k=x", "?k=x&download=1", "?all=1"] {
                let reply = try await wallet.ask(.get, path + query, fields: Self.fields(Self.desk, Self.html))
                #expect(reply.status == 404, "\(query)")
            }
        }
    }

    @Test(arguments: [("Example Shop <&>", "Example Shop &lt;&amp;&gt;"), ("", "shop.example")])
    func `has pages with the shop's name, or with the host where it has none`(name: String, shown: String) async throws
    {
        try await withWallet(["shop.name": name]) { wallet in
            let card = try await wallet.member()
            for (target, status) in [(card.linkTarget, 200), ("/wallet/\(card.account)?k=x", 404)] {
                let reply = try await wallet.ask(.get, target, fields: Self.fields(Self.desk, Self.html, "en"))
                let page = String(decoding: reply.body, as: UTF8.self)
                #expect(reply.status == status)
                #expect(page.contains(" | \(shown)</title>") && page.contains("<span>\(shown)</span>"), "\(page)")
            }
        }
    }

    @Test func `is a bundle of all cards where it is asked for them`() async throws {
        try await withWallet { wallet in
            let card = try await wallet.member()
            // One card is no bundle.
            let alone = try await wallet.ask(.get, card.linkTarget + "&all=1")
            #expect(alone[.contentType] == "application/vnd.apple.pkpass")

            try WalletFolders.addEvent(wallet.folder)
            try wallet.process.reload()
            let draft = try MemberDraft(
                try JSONReader(["externalId": "m-1", "name": "山田 花子", "template": "event"])
            )
            let (event, answer) = try await wallet.part.issue(draft)
            #expect(event.account == card.account)
            // The link of the second card leads to it, and not to the first.
            let url = try #require(answer.content["walletUrl"]?.text)
            let second = String(url.dropFirst("https://\(WalletFixture.host)".count))
            let type = try #require(second.split(separator: "&type=").last.map(String.init))
            #expect(type != WalletFixture.passType)
            let own = try await wallet.ask(.get, second)
            let root = try X509Certificate(try Files.read("\(WalletFolders.vectors)/pki/root.pem"))
            var expectations = PassJudge.Expectations()
            expectations.passType = type
            expectations.serialNumber = event.serial
            #expect(
                PassJudge(trust: [root], expecting: expectations).judge(own.body, at: SystemClock().now()).isConforming
            )
            #expect(try await wallet.ask(.get, card.linkTarget + "&type=pass.com.example.none").status == 404)
            let one = try await wallet.ask(.get, card.linkTarget)
            #expect(one[.contentType] == "application/vnd.apple.pkpass")
            _ = try judged(one.body, of: card)
            let reply = try await wallet.ask(.get, card.linkTarget + "&all=1")
            #expect(reply.status == 200)
            #expect(reply[.contentType] == "application/vnd.apple.pkpasses")
            #expect(reply[.contentDisposition] == "attachment; filename=\"cards.pkpasses\"")
            let verdict = PassJudge(trust: [root]).judgeBundle(reply.body, at: SystemClock().now())
            #expect(verdict.count == 3)
            #expect(verdict.flatMap(\.findings) == [])
        }
    }
}
