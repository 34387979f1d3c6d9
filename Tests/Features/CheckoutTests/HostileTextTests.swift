import FeatureTestKit
import Foundation
import ServerCore
import SessionBroker
import TestKit
import Testing
import Web

@testable import Checkout
@testable import HTTPCore

/// A request to a route, with everything that the route reads.
private struct Visit: Sendable {
    var query: [(name: String, value: String)] = []
    var form: [(name: String, value: String)]?
    var content: String?
    var type = "application/x-www-form-urlencoded"
    var fields: [(HTTPFieldName, String)] = [Browser.english, Browser.ownOrigin]
    var cookies: [(String, String)] = []
    var host: String?

    private static let sealed = [
        ("secureWebviewSessionId", "C"), ("orderReferenceId", Crossing.session),
    ]
    private static let report = #"{"csp-report":{"effective-directive":"img-src","blocked-uri":"https://a.example/"}}"#

    /// By method and path.
    static let byRoute: [String: Visit] = [
        "GET /button": Visit(query: [("secureWebviewSessionId", "A")]),
        "POST /button": Visit(query: [("again", "1")], form: [("secureWebviewSessionId", "A")]),
        "POST /secureWebviewSession": Visit(form: [
            ("client", "iosApp"), ("hd8", "1"), ("hd10", "0"),
            ("code_challenge", String(repeating: "A", count: 43)), ("code_challenge_method", "S256"),
        ]),
        "GET /confirm_order": Visit(query: [("amazonCheckoutSessionId", Crossing.session)]),
        "POST /confirm_order": Visit(
            query: [("shown", "28036")],
            form: [("secureWebviewSessionId", "C"), ("totalPrice", "28,036")]
        ),
        "GET /checkout_result": Visit(query: [("amazonCheckoutSessionId", Crossing.session)]),
        "POST /purchase": Visit(
            form: sealed + [
                ("accessToken", "sealed"), ("old_secureWebviewSessionId", "A"),
                ("code_verifier", String(repeating: "v", count: 43)), ("totalPrice", "28,036"),
            ]
        ),
        "GET /thanks": Visit(query: [("secureWebviewSessionId", "C")]),
        "GET /iosApp/cart": Visit(), "GET /androidApp/cart": Visit(), "GET /browser/cart": Visit(),
        "GET /checkout_cancel": Visit(),
        "POST /checkout_cancel": Visit(form: [("secureWebviewSessionId", "C")]),
        "POST /calc_postage": Visit(form: sealed + [("accessToken", "sealed")]),
        "POST /return": Visit(form: sealed),
        "POST /secureWebviewSession/status": Visit(form: [("secureWebviewSessionId", "A")]),
        "GET /rescue": Visit(),
        "POST /csp_report": Visit(content: report, type: "application/csp-report"),
        "GET /error": Visit(query: [("code", "x")]), "POST /error": Visit(form: []),
        "GET /crt/sample.crt": Visit(), "GET /": Visit(),
        "GET /.well-known/apple-app-site-association": Visit(), "GET /apple-app-site-association": Visit(),
        "GET /.well-known/assetlinks.json": Visit(),
        "GET /index.html": Visit(query: [("secureWebviewSessionId", "C"), ("orderReferenceId", Crossing.session)]),
        // With a message in its place.
        "POST /ipn/amazon-pay": Visit(content: "", type: "text/plain"),
    ]

    /// The visit with the tokens of a session.
    func filled(_ crossing: Crossing) throws -> Visit {
        func filled(_ pair: (name: String, value: String)) -> (name: String, value: String) {
            (pair.name, ["A": crossing.launch.text, "C": crossing.ticket.text][pair.value] ?? pair.value)
        }
        var visit = self
        visit.query = query.map(filled)
        visit.form = form?.map(filled)
        if content?.isEmpty == true { visit.content = try Message.signed() }
        visit.cookies = crossing.tabCookies + crossing.appCookies + [(Jar.receipt, crossing.ticket.text)]
        return visit
    }

    func send(_ shop: ScriptedProgram, _ route: RouteCard) async throws -> Answer {
        let pairs = query.map { "\(Visit.escaped($0.name))=\(Visit.escaped($0.value))" }.joined(separator: "&")
        return try await shop.ask(
            route.method,
            route.path + (pairs.isEmpty ? "" : "?" + pairs),
            host: host ?? (route.site == .link ? ScriptedProgram.linkHost : ScriptedProgram.host),
            fields: fields,
            cookies: cookies,
            type: type,
            body: content ?? form?.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        )
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { $0 < 0x80 ? String(Unicode.Scalar($0)) : "%" + String($0, radix: 16, uppercase: true) }.joined()
    }
}

/// One place of a request, and how hostile text gets there.
private struct Place {
    let name: String
    /// Of the text; twice as much still fits.
    let size: Int
    let put: (inout Visit, String) -> Void

    /// Every place of a visit: each field that the program knows, each parameter and cookie with its name, and the content.
    static func all(_ visit: Visit) -> [Place] {
        var places = KnownFieldName.allCases.map { known in
            Place(name: "field \(known.rawValue)", size: head) { visit, text in
                switch known {
                case .host: visit.host = text
                case .contentType: visit.type = text
                case .cookie: visit.cookies = [(text, text), ("a", "")]
                default: visit.fields.append((HTTPFieldName(known), text))
                }
                // What is looked at once would otherwise be looked at in the sound one.
                visit.fields.removeAll { $0.0 == HTTPFieldName(known) && $0.1.utf8.count < 100 }
            }
        }
        for index in visit.query.indices {
            let name = visit.query[index].name
            places.append(Place(name: "query \(name)", size: head / 3) { $0.query[index].value = $1 })
            places.append(Place(name: "query, name", size: head / 3) { $0.query[index].name = $1 })
        }
        places.append(Place(name: "query, more", size: head / 3) { $0.query.append(($1, "")) })
        for index in (visit.form ?? []).indices {
            let name = visit.form?[index].name ?? ""
            places.append(Place(name: "form \(name)", size: form) { $0.form?[index].value = $1 })
            places.append(Place(name: "form, instead of \(name)", size: form) { $0.form?[index].name = $1 })
        }
        if visit.form != nil { places.append(Place(name: "form, more", size: form) { $0.form?.append(($1, "")) }) }
        for index in visit.cookies.indices {
            places.append(Place(name: "cookie \(visit.cookies[index].0)", size: head) { $0.cookies[index].1 = $1 })
        }
        if let content = visit.content {
            let texts = content.split(separator: "\"", omittingEmptySubsequences: false)
            for index in texts.indices where index % 2 == 1 {
                places.append(
                    Place(name: "content \(texts[index])", size: form) { visit, marks in
                        var texts = texts.map(String.init)
                        texts[index] = marks
                        visit.content = texts.joined(separator: "\"")
                    }
                )
            }
        }
        return places
    }

    /// Half of what a head may have.
    private static let head = 6_000
    /// Half of what most routes take, with the rest of a form beside it.
    private static let form = 3_600
}

extension RouteCard {
    fileprivate var key: String { "\(method.text) \(path)" }
}

/// Text that is dear to compare, in every place where a request has text.
@Suite struct `Hostile text in a request` {
    private static let routes = FeatureSet([CheckoutFeature.self]).routes.filter { !$0.path.hasPrefix("/static") }

    @Test func `has a visit for every route`() {
        let paths = Set(Self.routes.map(\.key))
        #expect(paths == Set(Visit.byRoute.keys))
    }

    /// What a handler asks for by its name, a visit has.
    @Test func `has every name that a handler asks for`() throws {
        let known = Set(Visit.byRoute.values.flatMap { visit in (visit.query + (visit.form ?? [])).map(\.name) })
        var asked: Set<String> = []
        for folder in ["Handlers", "Exchange"] {
            let path = ProjectFolder.path("Sources/Features/Checkout/\(folder)")
            for file in try FileManager.default.contentsOfDirectory(atPath: path) where file.hasSuffix(".swift") {
                let source = try String(contentsOfFile: path + "/" + file, encoding: .utf8)
                for match in source.matches(of: /(?:parameter|required|amount|isEmpty)\("(\w+)"\)|form\["(\w+)"\]/) {
                    asked.insert(String(match.1 ?? match.2 ?? ""))
                }
            }
        }
        #expect(asked.contains("secureWebviewSessionId") && asked.isSubset(of: known), "\(asked.subtracting(known))")
    }

    @Test(arguments: Visit.byRoute.keys.sorted())
    func `costs no more than its octets in any place`(key: String) async throws {
        let route = try #require(Self.routes.first { $0.key == key })
        let visit = try #require(Visit.byRoute[key]).filled(try Crossing())
        do {
            try await withCheckout(Message.settings) { shop in
                // For the message that is sound: it is asked for once.
                shop.provider.answer(200, String(decoding: try Message.pem("sns-leaf.pem"), as: UTF8.self))
                _ = try await visit.send(shop, route)
                for place in Place.all(visit) {
                    let texts = [
                        place.size: HostileText.marks(place.size), 2 * place.size: HostileText.marks(2 * place.size),
                    ]
                    let growth = try await Growth.of(onLoop: "\(key), \(place.name)", size: place.size) { size in
                        var hostile = visit
                        place.put(&hostile, texts[size] ?? "")
                        _ = try await hostile.send(shop, route)
                    }
                    #expect(growth.isLinear, "\(growth)")
                }
            }
        } catch is ScriptError {
            // Some get as far as the store, which has no answer.
        }
    }

    /// What a message of the provider has inside is read once its signature is good.
    @Test func `costs no more than its octets in any place of a message that is believed`() async throws {
        let inside =
            #"{"MerchantID":"A1EXAMPLE2MERCH","ObjectType":"CHARGE","ObjectId":"S03-1234567-7654321-C012345","#
            + #""ChargePermissionId":"S03-1234567-7654321","NotificationType":"x","NotificationId":"n"}"#
        let parts = inside.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
        let route = try #require(Self.routes.first { $0.key == "POST /ipn/amazon-pay" })
        do {
            try await withCheckout(Message.settings) { shop in
                shop.provider.answer(200, String(decoding: try Message.pem("sns-leaf.pem"), as: UTF8.self))
                for index in parts.indices where index % 2 == 1 {
                    let bodies = try [24_000, 48_000].map { size in
                        var hostile = parts
                        hostile[index] = HostileText.marks(size)
                        return try Message.signed(hostile.joined(separator: "\""))
                    }
                    let growth = try await Growth.of(onLoop: "message, \(parts[index])", size: 24_000) { size in
                        let visit = Visit(content: bodies[size == 24_000 ? 0 : 1], type: "text/plain")
                        let answer = try await visit.send(shop, route)
                        #expect([200, 400, 403, 503].contains(answer.status))
                    }
                    #expect(growth.isLinear, "\(growth)")
                }
            }
        } catch is ScriptError {
            // Some are written down, where there is no answer.
        }
    }
}
