import Foundation
import IntegrationKit
import SallyportClient
import Testing

/// A link that somebody has made of the one that the buyer is coming back with.
struct Attack: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: ReturnLinkRefusal
    let link: @Sendable (String) -> String

    init(_ name: String, _ reason: ReturnLinkRefusal, _ link: @escaping @Sendable (String) -> String) {
        testDescription = name
        self.reason = reason
        self.link = link
    }

    /// A part of the link in other words.
    init(_ name: String, _ reason: ReturnLinkRefusal, _ part: String, _ other: String) {
        self.init(name, reason) { $0.replacingOccurrences(of: part, with: other) }
    }

    /// Another value of a parameter.
    static func value(
        _ name: String,
        _ reason: ReturnLinkRefusal,
        of parameter: ReturnLink.Parameter,
        _ value: String
    ) -> Attack {
        Attack(name, reason) { link in
            let parts = link.split(separator: "?", maxSplits: 1)
            let items = parts[1].split(separator: "&").map { item in
                item.hasPrefix(parameter.rawValue + "=") ? parameter.rawValue + "=" + value : String(item)
            }
            return parts[0] + "?" + items.joined(separator: "&")
        }
    }

    /// Without a parameter.
    static func without(_ parameter: ReturnLink.Parameter) -> Attack {
        Attack("without \(parameter)", .missingParameter(parameter)) { link in
            let parts = link.split(separator: "?", maxSplits: 1)
            return parts[0] + "?"
                + parts[1].split(separator: "&").filter { !$0.hasPrefix(parameter.rawValue + "=") }.joined(
                    separator: "&"
                )
        }
    }

    private static let foreignA = "swa_" + String(repeating: "B", count: 64)
    private static let foreignC = "swc_" + String(repeating: "B", count: 64)

    static let origins = [
        Attack("http", .foreignScheme, "https://", "http://"),
        Attack("a scheme of its own", .foreignScheme, "https://", "com.example.shop://"),
        Attack("javascript", .malformedURL) { _ in "javascript:alert(1)" },
        Attack("no scheme", .malformedURL, "https://", "//"),
        Attack("another host", .foreignHost, "links.localhost", "links.localhost.example.com"),
        Attack("a host in front", .foreignHost, "links.localhost", "evil-links.localhost"),
        Attack("the host of the pages", .foreignHost, "links.localhost", "localhost"),
        Attack("a dot behind", .foreignHost, "links.localhost", "links.localhost."),
        Attack("another port", .foreignPort, ":8443", ":8444"),
        Attack("a zero before the port", .malformedURL, ":8443", ":08443"),
        Attack("an empty port", .malformedURL, ":8443", ":"),
        Attack("a port of letters", .malformedURL, ":8443", ":https"),
        Attack("an escaped letter of the host", .malformedURL, "links.localhost", "l%69nks.localhost"),
        Attack("an escaped dot of the host", .malformedURL, "links.localhost", "links%2Elocalhost"),
        Attack("the usual port", .foreignPort, ":8443", ""),
        Attack("a user", .userInfo, "https://", "https://links.localhost@"),
        Attack("user and password", .userInfo, "https://", "https://a:b@"),
        Attack("a backslash", .malformedURL, "https://", "https:\\\\"),
        Attack("a fragment", .fragment) { $0 + "#x" },
        Attack("an empty fragment", .fragment) { $0 + "#" },
        Attack("another path", .foreignPath, "/index.html", "/index.htm"),
        Attack("a path below", .foreignPath, "/index.html", "/index.html/x"),
        Attack("dots in the path", .foreignPath, "/index.html", "/x/../index.html"),
        Attack("an encoded path", .foreignPath, "/index.html", "/%69ndex.html"),
        Attack("no path", .foreignPath, "/index.html", ""),
        Attack("capitals in the path", .foreignPath, "/index.html", "/INDEX.html"),
        Attack("nothing", .malformedURL) { _ in "" },
        Attack("a blank", .malformedURL) { $0 + " " },
        Attack("a line break", .malformedURL) { $0 + "\r\n" },
        Attack("a letter beyond ASCII", .malformedURL) { $0 + "\u{3042}" },
        Attack("very much", .malformedURL) { $0 + "&x=" + String(repeating: "x", count: 5_000) },
    ]

    static let values = ReturnLink.Parameter.allCases.flatMap { parameter in
        [
            without(parameter),
            Attack("\(parameter) twice", .repeatedParameter(parameter)) { $0 + "&" + parameter.rawValue + "=x" },
            value("an empty \(parameter)", .malformedParameter(parameter), of: parameter, ""),
            value("\(parameter) with script", .malformedParameter(parameter), of: parameter, "');alert(1);('"),
            value("an encoded \(parameter)", .malformedParameter(parameter), of: parameter, "%73%77"),
        ]
    }

    static let tickets = [
        value("another return ticket", .otherSession, of: .returnTicket, foreignC),
        value(
            "a launch ticket in place of the return ticket",
            .malformedParameter(.returnTicket),
            of: .returnTicket,
            foreignA
        ),
        value(
            "a return ticket in place of the launch ticket",
            .malformedParameter(.launchTicket),
            of: .launchTicket,
            foreignC
        ),
        value("a launch ticket of somebody else", .otherSession, of: .launchTicket, foreignA),
        Attack("a whole link of somebody else", .otherCheckout) { link in
            "https://" + link.dropFirst(8).prefix { $0 != "?" }
                + "?secureWebviewSessionId=\(foreignC)&old_secureWebviewSessionId=\(foreignA)"
                + "&accessToken=sealed&orderReferenceId=S03-0000000-0000000"
        },
        Attack("the secret of the launch ticket guessed", .otherCheckout) { link in
            let mark = link.range(of: "old_secureWebviewSessionId=swa_").map { link[$0.upperBound...] } ?? ""
            let old = String(mark.prefix(64))
            return link.replacingOccurrences(
                of: "swa_" + old,
                with: "swa_" + old.prefix(30) + String(repeating: "A", count: 34)
            )
        },
        value(
            "a return ticket that is too long",
            .malformedParameter(.returnTicket),
            of: .returnTicket,
            foreignC + "B"
        ),
        value(
            "a token of 2,049 characters",
            .malformedParameter(.accessToken),
            of: .accessToken,
            String(repeating: "a", count: 2_049)
        ),
        value(
            "an order of 65 characters",
            .malformedParameter(.orderReferenceID),
            of: .orderReferenceID,
            String(repeating: "a", count: 65)
        ),
    ]
}

@Suite("A return link that is attacked")
struct ReturnLinkAttackTests {
    @Test(arguments: [Attack.origins, Attack.values, Attack.tickets])
    func `is refused with its reason, and the true one still buys`(_ attacks: [Attack]) async throws {
        try await withClientShop { shop in
            for attack in attacks {
                let app = try PageApp(shop)
                let link = try await app.crossed()
                let forged = attack.link(link)
                #expect(forged != link, "\(attack)")
                let before = (try app.store.load(), await app.checkout.state)
                await #expect(throws: attack.reason, "\(attack)") { try await app.checkout.receive(forged) }
                #expect((try app.store.load(), await app.checkout.state) == before, "\(attack)")
                #expect(await app.transport.sent.allSatisfy { $0 != "POST /purchase" }, "\(attack)")
                #expect(try await app.checkout.receive(link).isPaid, "\(attack)")
            }
            #expect(try await shop.effectiveCompletions() == attacks.count)
        }
    }

    @Test(arguments: Attack.origins + Attack.values + Attack.tickets)
    func `is refused where nothing was started`(_ attack: Attack) async throws {
        let configuration = try CheckoutConfiguration(
            webOrigin: try #require(URL(string: "https://localhost:8443")),
            linkOrigin: try #require(URL(string: "https://links.localhost:8443")),
            client: .iosApp
        )
        let ticket = String(repeating: "C", count: 64)
        let link =
            "https://links.localhost:8443/index.html?secureWebviewSessionId=swc_\(ticket)&old_secureWebviewSessionId=swa_\(ticket)"
            + "&accessToken=sealed&orderReferenceId=S03-1"
        let checkout = Checkout(configuration, completion: .page(NoPage()), store: MemoryCheckoutStore())
        await #expect(throws: ReturnLinkRefusal.noCheckout) { try await checkout.receive(link) }
        let reason = attack.reason == .otherCheckout ? .noCheckout : attack.reason
        await #expect(throws: reason) { try await checkout.receive(attack.link(link)) }
    }
}

@Suite("A launch ticket")
struct LaunchTicketTests {
    @Test func `names its session`() throws {
        let ticket = try #require(LaunchTicket("swa_-_" + String(repeating: "Zk", count: 31)))
        #expect(ticket.sessionID == "fbf66466-4664-6646-6466-466466466466")
    }
}

private struct NoPage: SallyportClient.CartPage {
    func purchase(_ link: ReturnLink) async throws -> Redemption { throw CheckoutError("nothing was started") }
}
