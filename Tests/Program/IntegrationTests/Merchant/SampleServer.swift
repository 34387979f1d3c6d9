import Cryptography
import EventIO
import Foundation
import IntegrationKit
import Primitives
import StrictJSON
import TestKit
import Testing

/// A language of examples/server.
enum SampleLanguage: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case python, node, php, ruby

    /// Where Debian's package puts the interpreter; without it these tests fail: run scripts/install-deps test.
    var interpreter: String { "/usr/bin/" + (self == .python ? "python3" : rawValue) }

    /// The sample.
    var file: String {
        let names = [Self.python: "py", .node: "js", .php: "php", .ruby: "rb"]
        return Self.folder + "/shop." + (names[self] ?? "")
    }

    var testDescription: String { rawValue }

    static let folder = ProjectFolder.path("examples/server")
}

/// An answer of a sample.
struct SampleReply: Sendable {
    let page: Page
    let json: JSONValue

    var status: Int { page.status }
    var state: String { json["state"]?.text ?? "" }

    init(_ page: Page) {
        self.page = page
        json = (try? JSONParser.parse(Array(page.text.utf8))) ?? .null
    }
}

/// A merchant's server of examples/server as a process, between an app and a shop.
final class SampleServer: Sendable {
    let shop: Shop
    let relay: ShopRelay
    let folder: String
    private let language: SampleLanguage
    private let environment: [String: String]
    private let browser: TestBrowser
    private let process = Lock<ChildProcess?>(nil)
    private let secrets = Lock<[String]>([])

    /// What the shop's people show.
    static let staff = "a-token-of-the-shop's-own-people"
    /// The buyer's login.
    static let login = "login-of-the-first-buyer"

    init(_ language: SampleLanguage, _ shop: Shop, _ relay: ShopRelay, key: String, folder: String) throws {
        self.language = language
        self.shop = shop
        self.relay = relay
        self.folder = folder
        let port = try freePort()
        url = "http://127.0.0.1:\(port)"
        browser = shop.browser()
        environment = [
            "SALLYPORT_URL": relay.url, "SALLYPORT_CA": try TestKeys.get().authorityPath,
            // In a file or itself, here as there with the line end that a mounted secret has.
            "SALLYPORT_KEY": [.node, .ruby].contains(language) ? folder + "/key" : key + "\n", "PORT": "\(port)",
            "SHOP_STATE": folder + "/state.json",
            "SHOP_STAFF_TOKEN": Self.staff,
        ]
        try Files.write(folder + "/key", Array((key + "\n").utf8), mode: 0o600)
    }

    /// Where it listens.
    let url: String

    var log: String { text("log") }
    var stateFile: String { text("state.json") }

    private func text(_ name: String) -> String {
        let path = folder + "/" + name
        return String(decoding: Files.exists(path) ? (try? Files.read(path)) ?? [] : [], as: UTF8.self)
    }

    /// Gives it the secrets of an endpoint that the shop tells of its events, beside those that it has.
    func addEndpoint() async throws -> String {
        let secret = try HookedShop.secretPath()
        let (exit, lines) = try await shop.webhooks(["add", url + "/webhooks"], secret: secret)
        #expect(exit == .code(0))
        let text = try #require(lines.first?["secret"]?.text)
        secrets.withLock { $0.append(text) }
        return text
    }

    /// Starts it, and waits until it answers.
    func start() async throws {
        let missing = Comment(rawValue: "\(language.interpreter) is missing: run scripts/install-deps test")
        try #require(Files.exists(language.interpreter), missing)
        var plan = ChildPlan(language.interpreter, [language.file], environment: environment)
        plan.environment["WEBHOOK_SECRETS"] = ([HostileRequests.secret] + secrets.withLock { $0 }).joined(
            separator: " "
        )
        plan.output = .appended(path: folder + "/log")
        plan.error = .appended(path: folder + "/log")
        plan.workingDirectory = folder
        plan.deathSignal = .kill
        let child = try plan.start()
        process.withLock { $0 = child }
        let patience = Patience()
        while patience.isLeft {
            if (try? await browser.request("GET", url + "/"))?.status == 404 { return }
            guard try child.wait(atMost: .milliseconds(20)) == nil else { break }
        }
        throw ProgramFailure("no answer: \(log)")
    }

    /// Sends a signal and waits for the end.
    @discardableResult func end(_ signal: Signal) throws -> ChildProcess.Exit? {
        guard let child = process.withLock({ $0 }) else { return nil }
        try child.send(signal)
        return try child.wait(atMost: Patience.usual)
    }

    /// Tells it to end, and waits until it knows or, as PHP does, has put the signal off.
    func tell(_ signal: Signal) async throws {
        let child = try #require(process.withLock { $0 })
        try child.send(signal)
        let bit = UInt64(1) << UInt64(signal.number - 1)
        let path = "/proc/\(child.pid)/status"
        try await withLoop { reactor in
            try await poll(reactor, "the signal") { () throws -> Void? in
                guard Files.exists(path), let bytes = try? Files.read(path) else { return () }
                let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                func has(_ name: String) -> Bool {
                    let mask = lines.first { $0.hasPrefix(name) }?.split(separator: "\t").last
                    return (mask.flatMap { UInt64($0, radix: 16) } ?? 0) & bit != 0
                }
                return has("ShdPnd:") && !has("SigBlk:") ? nil : ()
            }
        }
    }

    /// How it ended.
    func exit() throws -> ChildProcess.Exit? {
        try process.withLock { $0 }?.wait(atMost: Patience.usual)
    }

    // MARK: As the app

    func post(
        _ path: String,
        _ body: String,
        login: String? = SampleServer.login,
        word: String? = nil
    ) async throws -> SampleReply {
        var fields = [("content-type", "application/json")]
        if let login { fields.append(("authorization", "Bearer " + login)) }
        if let word { fields.append(("idempotency-key", word)) }
        return SampleReply(try await browser.request("POST", url + path, fields: fields, body: Array(body.utf8)))
    }

    func current(_ session: String = "current", login: String = SampleServer.login) async throws -> SampleReply {
        let fields = [("authorization", "Bearer " + login)]
        return SampleReply(try await browser.request("GET", url + "/checkouts/" + session, fields: fields))
    }

    /// Begins a checkout of two packs of tea.
    func begin(_ word: String = "one", client: String = "iosApp", login: String = login) async throws -> SampleReply {
        try await post("/checkouts", #"{"client":"\#(client)","items":{"tea":2}}"#, login: login, word: word)
    }

    /// Walks the buyer through the tab.
    func walk(_ url: String, tab: SecureTab? = nil) async throws -> String {
        try #require(try await (tab ?? shop.tab()).cross(url).link("purchase_link"))
    }

    /// What the app sends when a link has come.
    static func back(_ link: String) -> String {
        let ticket = MerchantClient.parameter("secureWebviewSessionId", of: link)
        let order = MerchantClient.parameter("orderReferenceId", of: link)
        return #"{"returnTicket":"\#(ticket)","orderReferenceId":"\#(order)"}"#
    }

    /// The signature of a webhook.
    private static func signature(_ body: String, secret: String, id: String, time: Int64) throws -> String {
        let key = try #require(Data(base64Encoded: String(secret.dropFirst("whsec_".count))))
        let tag = try HMACSHA256.tag(of: Array("\(id).\(time).\(body)".utf8), key: Array(key))
        return "v1," + Data(tag.bytes).base64EncodedString()
    }

    /// Sends a webhook, signed as it should be unless told otherwise; `signed` is signed in place of the body.
    func webhook(
        _ body: String,
        secret: String,
        id: String = "evt_1",
        age: Int64 = 0,
        signing signed: String? = nil,
        behind: String = "",
        signature: String? = nil
    ) async throws -> Int {
        let time = Int64(Date().timeIntervalSince1970) - age
        let own = behind + (try SampleServer.signature(signed ?? body, secret: secret, id: id, time: time))
        let fields = [
            ("content-type", "application/json"), ("webhook-id", id), ("webhook-timestamp", "\(time)"),
            ("webhook-signature", signature ?? own),
        ]
        return try await browser.request("POST", url + "/webhooks", fields: fields, body: Array(body.utf8)).status
    }
}

/// Runs a body with a shop, a relay, and a sample that answers already; ends what is left of it.
func withSample(
    _ language: SampleLanguage,
    _ settings: [String: String] = [:],
    hooked: Bool = false,
    isSecure: Bool = false,
    _ body: @escaping @Sendable (SampleServer) async throws -> Void
) async throws {
    var all = ["merchant.secret_file": try HookedShop.secretPath()]
    all.merge(settings) { _, own in own }
    var options = ShopOptions.merchants(all)
    options.isSecure = isSecure
    try await withShop(options) { shop in
        let relay = try await ShopRelay.start(shop)
        defer { relay.stop() }
        let key = try await shop.makeKey()
        try await withTemporaryFolder { folder in
            let sample = try SampleServer(language, shop, relay, key: key, folder: folder)
            if hooked { _ = try await sample.addEndpoint() }
            try await sample.start()
            defer { _ = try? sample.end(.kill) }
            try await body(sample)
            let secrets = try #require(sample.log.isEmpty ? nil : [key, SampleServer.login, "swc_", "swp_", "whsec_"])
            for secret in secrets { #expect(!sample.log.contains(secret), "\(sample.log)") }
        }
    }
}
