import Foundation
import IntegrationKit
import SallyportClient
import Testing

@Suite("An app whose cart is the shop's page")
struct PageCheckoutTests {
    @Test(arguments: [ClientKind.iosApp, .androidApp], ["compat", "standard"])
    func `buys once`(client: ClientKind, profile: String) async throws {
        try await withClientShop(["profile": profile]) { shop in
            let app = try PageApp(shop, client: client)
            let states = await app.checkout.states()
            let link = try await app.crossed()
            for _ in 1...2 { #expect(try await app.checkout.resume() == .inTab) }
            let state = try await app.checkout.receive(link)
            #expect(state.isPaid)
            #expect(try await shop.effectiveCompletions() == 1)
            var seen: [CheckoutState] = []
            for await state in states {
                seen.append(state)
                if state.isPaid { break }
            }
            #expect(seen.count == 5 && seen[0] == .idle && seen[1].isOpening)
            #expect(seen[2...3] == [.inTab, .completing], "an address is told once, and a state not twice")
        }
    }

    @Test func `goes to the tab a second time where the profile wants that`() async throws {
        try await withClientShop(["profile": "strict"]) { shop in
            let app = try PageApp(shop)
            let tab = shop.tab()
            let first = try await app.cross(tab)
            guard case .opening(let launch) = try await app.checkout.receive(first) else {
                Issue.record("the tab is to be opened again")
                return
            }
            #expect(try await shop.effectiveCompletions() == 0)
            await #expect(throws: ReturnLinkRefusal.otherCheckout) { try await app.checkout.receive(first) }
            let second = try #require(try await tab.cross(launch.url.absoluteString).link("purchase_link"))
            #expect(try await app.checkout.receive(second).isPaid)
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }

    @Test func `gives the address for the tab to one listener alone`() async throws {
        try await withClientShop { shop in
            let app = try PageApp(shop)
            _ = try await app.crossed()
            for await state in await app.checkout.states() {
                #expect(state.isOpening, "nobody has been told yet")
                break
            }
            let listening = await app.checkout.states()
            for await state in await app.checkout.states() {
                #expect(state == .inTab)
                break
            }
            #expect(await app.checkout.state.isOpening)
            withExtendedLifetime(listening) {}
        }
    }

    @Test func `takes one of two deliveries of a link at once`() async throws {
        try await withClientShop { shop in
            let app = try PageApp(shop)
            let link = try await app.crossed()
            let outcomes = await withTaskGroup(of: Result<CheckoutState, any Error>.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        do { return .success(try await app.checkout.receive(link)) } catch { return .failure(error) }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let refusals = outcomes.compactMap { outcome -> ReturnLinkRefusal? in
                if case .failure(let error) = outcome { error as? ReturnLinkRefusal } else { nil }
            }
            #expect(refusals == Array(repeating: .replayed, count: 7))
            #expect(await app.checkout.state.isPaid)
            #expect(await app.transport.sent.filter { $0 == "POST /purchase" }.count == 1)
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }

    @Test(arguments: [
        (400, true), (401, false), (408, false), (409, true), (422, true), (429, false), (499, true), (500, false),
    ])
    func `tells a refusal that stays from one that passes`(_ status: Int, _ isFinal: Bool) {
        #expect(CheckoutError("no", status: status).isFinal == isFinal)
        #expect(!CheckoutError("no").isFinal)
        #expect(CheckoutError("no", status: status).mayBePaid == [409, 422].contains(status))
    }

    @Test func `asks again after a lost answer, and pays once`() async throws {
        try await withClientShop { shop in
            let app = try PageApp(shop)
            let link = try await app.crossed()
            await app.transport.loseAnswers(2)
            for _ in 0..<2 {
                let isFirst = await app.checkout.state.isOpening
                let state = isFirst ? try await app.checkout.receive(link) : try await app.checkout.resume()
                #expect(state == .failed(CheckoutError("the answer was lost")))
                await #expect(throws: ReturnLinkRefusal.replayed) { try await app.checkout.receive(link) }
            }
            #expect(try await app.checkout.resume().isPaid)
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }

    @Test func `dies in the tab, and buys on`() async throws {
        try await withClientShop { shop in
            let app = try PageApp(shop)
            let link = try await app.crossed()
            let again = try await app.restarted()
            #expect(try await again.checkout.resume() == .inTab)
            #expect(try await again.checkout.receive(link).isPaid)
            let third = try await again.restarted()
            #expect(try await third.checkout.resume() == .idle)
            await #expect(throws: ReturnLinkRefusal.replayed) { try await third.checkout.receive(link) }
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }

    @Test func `dies while the purchase is under way, and learns how it ended`() async throws {
        try await withClientShop { shop in
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appendingPathComponent("checkout")
            let app = try PageApp(shop, store: FileCheckoutStore(file))
            let link = try await app.crossed()
            await app.transport.loseAnswers(1)
            try await app.checkout.receive(link)
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let again = try await app.restarted()
            #expect(try await again.checkout.resume().isPaid)
            #expect(try await shop.effectiveCompletions() == 1)
            try Data("{".utf8).write(to: file)
            let broken = try await again.restarted()
            await #expect(throws: (any Error).self) { try await broken.checkout.resume() }
            _ = try await broken.crossed()
        }
    }

    @Test func `is told that it is not the one that asked`() async throws {
        try await withClientShop { shop in
            let app = try PageApp(shop)
            let link = try await app.crossed()
            // The same record on another phone: without the cookies of the first.
            let other = try PageApp(shop, store: app.store)
            #expect(try await other.checkout.receive(link) == .ended(.refused))
            #expect(try await shop.effectiveCompletions() == 0)
        }
    }

    @Test func `starts over, and the link of the first checkout is foreign`() async throws {
        try await withClientShop { shop in
            let app = try PageApp(shop)
            let old = try await app.crossed()
            let link = try await app.crossed()
            await #expect(throws: ReturnLinkRefusal.otherCheckout) { try await app.checkout.receive(old) }
            #expect(try await app.checkout.receive(link).isPaid)
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }

    @Test func `gives up, and its link is not taken`() async throws {
        try await withClientShop { shop in
            let app = try PageApp(shop)
            let link = try await app.crossed()
            try await app.checkout.cancel()
            #expect(await app.checkout.state == .ended(.canceled))
            await #expect(throws: ReturnLinkRefusal.noCheckout) { try await app.checkout.receive(link) }
            #expect(try await app.checkout.resume() == .ended(.canceled))
            #expect(try await shop.effectiveCompletions() == 0)
        }
    }

    @Test(arguments: [(age: 7_199.0, isLate: false), (7_201, true), (-59, false), (-61, true)])
    func `takes a link in time`(_ wait: (age: Double, isLate: Bool)) async throws {
        try await withClientShop { shop in
            let start = Date()
            let app = try PageApp(shop) { start }
            let link = try await app.crossed()
            let later = start.addingTimeInterval(wait.age)
            let again = try PageApp(shop, store: app.store, memory: await app.page.memory) { later }
            if wait.isLate {
                await #expect(throws: ReturnLinkRefusal.late) { try await again.checkout.receive(link) }
                #expect(try await app.checkout.receive(link).isPaid)
            } else {
                #expect(try await again.checkout.receive(link).isPaid)
            }
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }

    @Test func `ends with the receipt of the page, also for an app that starts anew`() async throws {
        let shop = try await ViewedShop()
        #expect(try await shop.checkout.receive(shop.link("S03-1")) == .handedToPage)
        for foreign in ["https://evil.example.com/thanks", "https://pay.example.com/error"] {
            try await shop.checkout.pageArrived(at: try #require(URL(string: foreign)))
            #expect(await shop.checkout.state == .handedToPage)
        }
        let again = try shop.restarted()
        try await again.pageArrived(at: try #require(URL(string: "https://pay.example.com/thanks")))
        #expect(await again.state.isPaid)
        #expect(try await shop.restarted().resume() == .idle)
    }

    @Test func `takes the link of another card after a decline that only the page has seen`() async throws {
        let shop = try await ViewedShop()
        #expect(try await shop.checkout.receive(shop.link("S03-1")) == .handedToPage)
        #expect(try await shop.checkout.receive(shop.link("S03-2")) == .handedToPage)
        #expect(await shop.page.orders == ["S03-1", "S03-2"])
        await #expect(throws: ReturnLinkRefusal.replayed) { try await shop.checkout.receive(shop.link("S03-2")) }
    }

    @Test func `takes no other link while one is being decided`() async throws {
        let shop = try await ViewedShop()
        await shop.page.answerNext(with: .pending(retryAfter: 1))
        let (pauses, pause) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let checkout = try shop.restarted { _ in
            pause.yield()
            for await _ in ends { return }
        }
        async let first = checkout.receive(shop.link("S03-1"))
        for await _ in pauses { break }
        await #expect(throws: ReturnLinkRefusal.otherCheckout) { try await checkout.receive(shop.link("S03-2")) }
        end.yield()
        #expect(try await first == .handedToPage)
        #expect(await shop.page.orders == ["S03-1", "S03-1"])
    }

    @Test func `is given up while it is begun, and no tab opens`() async throws {
        let server = SlowServer()
        let shop = try await ViewedShop()
        let checkout = try shop.checkout(.server(server))
        let launch = Task { try await checkout.begin(["tea": 1], key: "once") }
        await server.begun()
        try await checkout.cancel()
        await server.answer()
        await #expect(throws: CancellationError.self) { try await launch.value }
        #expect(await checkout.state == .ended(.canceled))
    }

    @Test func `is begun, whatever is asked of the one before meanwhile`() async throws {
        let server = SlowServer()
        let shop = try await ViewedShop()
        let checkout = try shop.checkout(.server(server))
        let launch = Task { try await checkout.begin(["tea": 1], key: "once") }
        await server.begun()
        #expect(try await checkout.resume() == .starting)
        await server.answer()
        _ = try await launch.value
        #expect(await checkout.state.isOpening)
    }

    @Test func `is over in an app that starts when no link can come any more`() async throws {
        try await withClientShop { shop in
            let app = try PageApp(shop)
            _ = try await app.crossed()
            let later = Date().addingTimeInterval(7_201)
            let again = try PageApp(shop, store: app.store, memory: await app.page.memory) { later }
            #expect(try await again.checkout.resume() == .ended(.over))
        }
    }

    @Test func `has no ticket of a ticket that is used up`() async throws {
        try await withClientShop { shop in
            let app = try PageApp(shop)
            let launch = try await app.checkout.open(try await app.page.begin(["hd8": 1, "hd10": 0]))
            #expect(try await shop.tab().open(launch.url.absoluteString).form(to: "/checkout/start") != nil)
            #expect(try await shop.tab().open(launch.url.absoluteString).error != "")
            await #expect(throws: CheckoutError.self) { try await app.page.begin(["hd8": -1, "hd10": 0]) }
        }
    }

    @Test func `tells nothing secret of itself`() async throws {
        try await withClientShop { shop in
            let app = try PageApp(shop)
            let text = try await app.crossed()
            let link = try ReturnLink(text, configuration: app.configuration)
            let record = try #require(try app.store.load())
            let state = await app.checkout.state
            let words = "\(link) \(link.launchTicket) \(record) \(state) \([link]) \(String(reflecting: state))"
            for secret in [link.returnTicket, link.launchTicket.text] { #expect(!words.contains(secret)) }
        }
    }
}

/// A page in a web view: how it ends is seen there.
private actor ViewedPage: SallyportClient.CartPage {
    private(set) var orders: [String] = []
    private var next: Redemption?

    func answerNext(with redemption: Redemption) { next = redemption }

    func purchase(_ link: ReturnLink) async throws -> Redemption {
        orders.append(link.orderReferenceID)
        defer { next = nil }
        return next ?? .handedToPage
    }
}

/// A checkout over such a page, with the tab open.
private struct ViewedShop {
    private static let secret = String(repeating: "C", count: 64)

    let page = ViewedPage()
    let checkout: Checkout
    private let store = MemoryCheckoutStore()
    private let configuration: CheckoutConfiguration

    init() async throws {
        let pay = try #require(URL(string: "https://pay.example.com"))
        let links = try #require(URL(string: "https://links.example.com"))
        configuration = try CheckoutConfiguration(webOrigin: pay, linkOrigin: links, client: .iosApp)
        checkout = Checkout(configuration, completion: .page(page), store: store)
        try await checkout.open(try #require(LaunchTicket("swa_" + ViewedShop.secret)))
    }

    /// A checkout of the same shop that has not begun.
    func checkout(_ completion: Checkout.Completion) throws -> Checkout {
        Checkout(configuration, completion: completion, store: MemoryCheckoutStore())
    }

    /// The app, started anew.
    func restarted(
        pause: @escaping @Sendable (TimeInterval) async throws -> Void = { _ in await Task.yield() }
    ) throws -> Checkout {
        Checkout(configuration, completion: .page(page), store: store, pause: pause)
    }

    func link(_ order: String) -> String {
        "https://links.example.com/index.html?secureWebviewSessionId=swc_\(ViewedShop.secret)"
            + "&old_secureWebviewSessionId=swa_\(ViewedShop.secret)&accessToken=sealed&orderReferenceId=\(order)"
    }
}

/// A server that is told when to answer.
private struct SlowServer: MerchantServer {
    private let questions = AsyncStream.makeStream(of: Void.self)
    private let answers = AsyncStream.makeStream(of: Void.self)

    func begun() async { for await _ in questions.stream { return } }

    func answer() async { answers.continuation.yield() }

    func begin(order: some Encodable & Sendable, client: ClientKind, key: String) async throws -> URL {
        questions.continuation.yield()
        for await _ in answers.stream { break }
        let ticket = "swa_" + String(repeating: "D", count: 64)
        return try #require(URL(string: "https://pay.example.com/button?secureWebviewSessionId=" + ticket))
    }

    func redeem(_ link: ReturnLink) async throws -> Redemption { .nothing }

    func current(_ ticket: LaunchTicket) async throws -> Redemption { .nothing }
}
