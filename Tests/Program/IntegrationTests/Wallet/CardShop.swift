import Cryptography
import EventIO
import HTTPClient
import HTTPCore
import HTTPServer
import IntegrationKit
import Primitives
import SimulatorCore
import StrictJSON
import TLS
import TestKit
import Testing

@testable import PushSimulator

/// A shop with member cards, whose servers are processes; the push service and the phones run on the loop of the test.
///
/// Pushes go over TLS and HTTP/2, phones ask over sockets, whatever of the servers is up.
final class CardShop {
    let shop: ProcessShop
    let pushes: PushSimulator
    /// Opens `/v1` for the shop's programs.
    let key: String
    private let balancer: Balancer
    private(set) var servers: [ServerProcess] = []

    static let passType = SimulatedPushService.passType

    fileprivate init(_ shop: ProcessShop, _ pushes: PushSimulator, _ balancer: Balancer, key: String) {
        self.shop = shop
        self.pushes = pushes
        self.balancer = balancer
        self.key = key
    }

    var reactor: Reactor { shop.reactor }

    // MARK: Servers

    /// Starts one more server, which the balancer knows.
    @discardableResult
    func start() async throws -> ServerProcess {
        let server = try await shop.startServer()
        servers.append(server)
        balancer.places.append(server.url)
        return server
    }

    /// Kills a server, as the end of its machine does.
    func kill(_ server: ServerProcess) async throws {
        // The balancer finds out by itself.
        try await server.program.end(.kill)
        servers.removeAll { $0 === server }
        balancer.places.removeAll { $0 == server.url }
    }

    /// Has all servers read their files again; what follows from that is to be waited for.
    func reload() throws {
        for server in servers { try server.program.process.send(.hangUp) }
    }

    /// The sum of a counter over the servers that run, by the beginning of its line.
    func count(_ metric: String) async throws -> Int {
        var sum = 0
        for server in servers {
            let text = try await shop.http.send("GET", server.adminURL + "/metrics").text
            let line = text.split(separator: "\n").first { $0.hasPrefix(metric + " ") }
            sum += line.flatMap { Int($0.dropFirst(metric.utf8.count + 1)) } ?? 0
        }
        return sum
    }

    // MARK: The shop's programs

    /// Asks `/v1` of a server that is up; once more where one has died meanwhile.
    func ask(_ method: String, _ path: String, _ body: JSONValue? = nil, word: String? = nil) async throws -> JSONValue
    {
        var fields = [("Authorization", "Bearer " + key)]
        if body != nil { fields.append(("Content-Type", "application/json")) }
        if let word { fields.append(("Idempotency-Key", word)) }
        let request = OutboundRequest(
            method: method,
            url: shop.web + "/v1/wallet" + path,
            fields: fields,
            body: body?.bytes ?? []
        )
        let response = try await balancer.insist(request)
        guard (200...299).contains(response.status) else { throw UnexpectedAnswer(method + " " + path, response) }
        return try JSONParser.parse(response.body)
    }

    /// Makes a member with a card.
    func member(_ name: String) async throws -> Member {
        let answer = try await ask("POST", "/members", ["externalId": .string(name), "name": "山田 花子"])
        guard let account = answer["accountId"]?.text, let serial = answer["serialNumber"]?.text,
            let link = answer["walletUrl"]?.text
        else { throw ProgramFailure("no card in \(answer)") }
        return Member(account: account, serial: serial, link: link)
    }

    /// Makes many members with a card each.
    func members(_ count: Int) async throws -> [Member] {
        try await inParallel(reactor, Array(0..<count), atMost: 24) { try await self.member("customer-\($0)") }
    }

    /// Changes points, named by a word of its own.
    ///
    /// - Returns: The points of afterwards.
    @discardableResult
    func change(_ member: Member, _ change: JSONValue) async throws -> Int {
        lastWord += 1
        let answer = try await ask("POST", "/members/\(member.account)/points", change, word: "change-\(lastWord)")
        return answer["points"]?.integer ?? -1
    }

    private var lastWord = 0

    /// A member as `/v1` has it.
    func read(_ member: Member) async throws -> JSONValue { try await ask("GET", "/members/\(member.account)") }

    /// The state of a member's card.
    func state(_ member: Member) async throws -> String { try await read(member)["state"]?.text ?? "" }

    // MARK: Phones

    /// Makes a phone without cards.
    func newPhone() -> Int { pushes.model.addPhone() }

    /// Asks for the newest version of a card, as the phone does that has this one.
    func fetch(_ card: Card) async throws -> InboundResponse {
        var fields = [("Authorization", "ApplePass " + (card.token?.reveal() ?? ""))]
        if let date = card.lastModified { fields.append(("If-Modified-Since", date)) }
        let url = (card.webService ?? "") + "/v1/passes/\(card.type)/\(card.serial)"
        return try await balancer.send(OutboundRequest(method: "GET", url: url, fields: fields))
    }

    /// The card in an answer, which a phone would take.
    func opened(_ answer: InboundResponse) throws -> Card {
        guard answer.status == 200, case .good(let opened) = pushes.judge.judge(answer.body, at: reactor.wallNow),
            var card = Card(opened, archive: answer.body)
        else { throw UnexpectedAnswer("a card", answer) }
        card.lastModified = answer.first("last-modified")
        return card
    }

    /// Downloads a card by its link, as one does who has not decided yet.
    func download(_ member: Member) async throws -> [UInt8] {
        let response = try await balancer.send(OutboundRequest(method: "GET", url: member.link))
        guard response.status == 200 else { throw UnexpectedAnswer("download", response) }
        return response.body
    }

    /// Makes a phone that has opened the links of some members, and registered for their cards.
    func phone(with members: Member...) async throws -> Int {
        let phone = newPhone()
        for member in members { try await tell(phone, .open(member.link)) }
        return phone
    }

    /// Makes a phone for each member.
    func phones(with members: [Member]) async throws -> [Int] {
        try await inParallel(reactor, members, atMost: 24) { try await self.phone(with: $0) }
    }

    /// Has a person or the network do something with a phone.
    func tell(_ phone: Int, _ kind: PhoneOrder.Kind) async throws {
        pushes.model.moveTo(reactor.wallNow)
        try await pushes.carryOut(PhoneOrder(phone: phone, kind: kind))
    }

    /// The points that a phone shows of a member; `nil` where the card is not on it, or shows none.
    func points(_ phone: Int, _ member: Member) -> Int? {
        card(phone, member)?.points
    }

    /// The card of a member on a phone.
    func card(_ phone: Int, _ member: Member) -> Card? {
        pushes.model.phones[phone].flatMap { state in
            state.index(Self.passType, member.serial).map { state.cards[$0] }
        }
    }

    /// Waits until phones show the points of a member.
    func shown(_ points: Int, of member: Member, on phones: [Int]) async throws {
        do {
            try await poll(reactor, "\(points) points on \(phones.count) phones") {
                phones.allSatisfy { self.points($0, member) == points } ? () : nil
            }
        } catch {
            // What the phones that wait have done, and what is still to be sent.
            for phone in phones where self.points(phone, member) != points {
                let events = pushes.model.phones[phone]?.events.suffix(12).map(\.json.description) ?? []
                Issue.record("phone \(phone): \(events.joined(separator: " "))")
            }
            Issue.record("\(try shop.rows("SELECT to_jsonb(j) FROM wallet_push_job AS j LIMIT 5"))")
            throw error
        }
    }

    /// What has happened on a phone, of one kind, as a page in Japanese says it.
    func events(_ phone: Int, _ kind: Phone.Event.Kind) -> [String] {
        pushes.model.phones[phone]?.events.filter { $0.kind == kind }.map(\.text.japanese) ?? []
    }

    /// When a phone has shown a new version last.
    func lastShown(_ phone: Int) -> WallTime? {
        pushes.model.phones[phone]?.events.last { $0.kind == .shown }?.at
    }

    /// The token that a phone has now.
    func token(_ phone: Int) -> String { pushes.model.phones[phone]?.pushToken ?? "" }

    // MARK: The push service

    /// Sets something of the push service, as a tester does.
    @discardableResult
    func control(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        let word = method == "POST" ? HTTPMethod.post : method == "DELETE" ? .delete : .get
        guard let request = HTTPRequest(word, "/_sim/" + path, fields: [], body: body?.bytes ?? []) else {
            throw ProgramFailure("no request: \(path)")
        }
        request.peer = PeerAddress(ipv4: 0x7F00_0001)
        let response: HTTPResponse
        switch pushes.handle(request) {
        case .now(let answer): response = answer
        case .precomposed(let answer): response = answer.response
        case .later(let work): response = try await work()
        }
        guard case .bytes(let bytes) = response.body else { return .null }
        guard response.status == .ok else { throw ProgramFailure(String(decoding: bytes, as: UTF8.self)) }
        return try JSONParser.parse(bytes)
    }

    /// Tokens that pushes have been sent to, in order.
    func pushed() async throws -> [String] { try await log().compactMap { $0["token"]?.text } }

    /// Every push with its answer.
    func log() async throws -> [JSONValue] {
        var entries: [JSONValue] = []
        while true {
            let last = entries.last?["number"]?.integer ?? 0
            let page = try await control("GET", "log?since=\(last)&limit=1000")["entries"]?.elements ?? []
            if page.isEmpty { return entries }
            entries += page
        }
    }

    /// Waits until nothing is to be sent, and nothing is under way.
    func settled() async throws {
        try await poll(reactor, "all pushes sent") {
            try self.shop.rows("SELECT 1 FROM wallet_push_job WHERE NOT is_sent LIMIT 1").isEmpty ? () : nil
        }
    }
}

extension Card {
    /// The points that it shows.
    var points: Int? {
        style?["primaryFields"]?.elements.first { $0["key"]?.text == "points" }?["value"]?.integer
    }
}

/// A member of the shop.
struct Member: Sendable {
    let account: String
    let serial: String
    let link: String
}

/// Leads requests to a server that is up, in turn; what one has not answered that died goes to the next, but for what was
/// posted, which phones send again by themselves.
private final class Balancer: HTTPExchange {
    var places: [String] = []
    private let client: CurlClient
    private let reactor: Reactor
    private let origin: String
    private var turn = 0

    init(_ reactor: Reactor, origin: String) throws {
        var configuration = ClientConfiguration.patient(trusting: try TestKeys.get().authorityPath)
        configuration.bodyLimit = PushSimulator.bodyLimit
        configuration.concurrencyLimit = 20_000
        configuration.idleConnections = 256
        client = CurlClient(reactor, configuration: configuration)
        self.reactor = reactor
        self.origin = origin
    }

    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        try await send(request, isSafe: request.method != "POST")
    }

    /// Sends until there is an answer, what is posted as well: for what is named by a word.
    func insist(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        try await send(request, isSafe: true)
    }

    private func send(
        _ request: OutboundRequest,
        isSafe: Bool
    ) async throws(HTTPExchangeError) -> InboundResponse {
        guard request.url.hasPrefix(origin + "/") else { throw HTTPExchangeError(.connectFailed) }
        let patience = Patience()
        while true {
            do throws(HTTPExchangeError) {
                guard !places.isEmpty else { throw HTTPExchangeError(.connectFailed) }
                turn += 1
                var routed = request.patient
                routed.url = places[turn % places.count] + request.url.dropFirst(origin.utf8.count)
                routed.fields.append(("host", ServerProcess.host))
                return try await client.send(routed)
            } catch {
                guard patience.isLeft, isSafe || error.code == .connectFailed else { throw error }
                await reactor.sleep(for: .milliseconds(20))
            }
        }
    }
}

/// Who issues the certificates of pass types; the same for all tests of the process.
enum CardAuthority {
    static let shared = Result {
        try PassAuthority.make(now: SystemClock().now(), random: KernelRandom())
    }

    /// Writes a new certificate of the pass type and its key into a folder.
    static func issue(_ folder: String, type: String = CardShop.passType) throws {
        let authority = try shared.get()
        let made = try authority.issue(
            type: type,
            team: SimulatedPushService.team,
            now: SystemClock().now(),
            random: KernelRandom()
        )
        try Files.write(folder + "/intermediate.pem", authority.intermediate.certificatePEM, mode: 0o600)
        try Files.write(folder + "/\(type).pem", made.certificatePEM, mode: 0o600)
        try Files.write(folder + "/\(type).key", made.keyPEM.reveal(), mode: 0o600)
    }
}

/// Runs a test with a shop that has member cards, of which nothing is left afterwards.
///
/// - Parameter processes: How many servers are started.
func withCardShop(
    _ settings: [String: String] = [:],
    processes: Int = 1,
    deadline: Duration = .seconds(300),
    _ body: @escaping @Sendable (CardShop) async throws -> Void
) async throws {
    try await withProcessShop(deadline: deadline) { shop in
        let keys = try TestKeys.get()
        let authority = try CardAuthority.shared.get()
        let balancer = try Balancer(shop.reactor, origin: shop.web)
        let pushes = PushSimulator(
            PushModel.Configuration(seed: KernelRandom().bytes(16)),
            reactor: shop.reactor,
            exchange: balancer,
            judge: try PhoneJudge(rootsPEM: authority.root.certificatePEM)
        )
        defer { pushes.stop() }
        let authorities = authority.root.certificatePEM + authority.intermediate.certificatePEM
        let tls = try TLSContext(
            certificatePEM: try Files.read(keys.certificatePath),
            keyPEM: Secret(try Files.read(keys.keyPath)),
            alpn: ["h2"],
            clients: TLSClientTrust(authoritiesPEM: authorities, isRequired: false)
        )
        let service = try pushes.openService(at: SocketAddress(v4: 0x7F00_0001, port: 0), tls: tls)
        shop.settings = try cardSettings(in: shop.folder, service, keys).merging(settings) { $1 }
        let cards = CardShop(shop, pushes, balancer, key: try await shop.makeKey("wallet:read,wallet:write"))
        for _ in 0..<processes { try await cards.start() }
        try await body(cards)
    }
}

/// What a server needs for cards, and no limits for the one address that all come from.
private func cardSettings(in folder: String, _ service: SocketAddress, _ keys: TestKeys) throws -> [String: String] {
    let certificates = folder + "/certificates"
    try Files.makeDirectory(certificates, mode: 0o700)
    try CardAuthority.issue(certificates)
    let secret = folder + "/secret"
    try Files.write(secret, Array(("1 " + String(repeating: "5a", count: 32) + "\n").utf8), mode: 0o600)
    return [
        "SALLYPORT_MERCHANT_SECRET_FILE": secret, "SALLYPORT_WALLET_CERTIFICATES": certificates,
        "SALLYPORT_WALLET_TEMPLATES": ProjectFolder.path("examples/wallet/templates"),
        "SALLYPORT_WALLET_PUSH_HOST": "localhost:\(service.port)",
        "SALLYPORT_WALLET_PUSH_TRUST": keys.authorityPath, "SALLYPORT_WALLET_LINK_RATE": "6000",
        "SALLYPORT_WALLET_LIST_RATE": "60000", "SALLYPORT_WALLET_LOG_RATE": "6000",
    ]
}
