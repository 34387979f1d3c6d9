import EventIO
import HTTPClient
import HTTPCore
import HTTPServer
import IntegrationKit
import Primitives
import StrictJSON
import TLS
import Telemetry
import TestKit

/// A shop that sells in the App Store, whose servers are processes and speak TLS; Apple's side is a process that outlives them.
final class PurchaseShop {
    let shop: ProcessShop
    let apple: AppleProcess
    let ways: ShopWays
    /// Opens `/v1` for the shop's programs.
    private let key: String
    private(set) var servers: [ServerProcess] = []

    fileprivate init(_ shop: ProcessShop, _ apple: AppleProcess, _ ways: ShopWays, key: String) {
        (self.shop, self.apple, self.ways, self.key) = (shop, apple, ways, key)
    }

    var reactor: Reactor { shop.reactor }

    // MARK: Servers

    /// Starts one more server, which is asked from then on.
    func start() async throws {
        let server = try await shop.startServer()
        servers.append(server)
        ways.places.append(server.url)
    }

    /// Kills a server, as the end of its machine does; whoever asks finds out by himself.
    func kill(_ server: ServerProcess) async throws {
        try await server.program.end(.kill)
        servers.removeAll { $0 === server }
        ways.places.removeAll { $0 == server.url }
    }

    /// Lets the next server ask for missed notifications as soon as it is up: the pause since the last question is over.
    func endHistoryPause() throws {
        try shop.rows(
            "UPDATE app_store_history SET tried_at = tried_at - interval '1 hour', read_until = read_until - interval '1 hour'"
        )
    }

    /// Waits until the missed notifications of both environments have been read, by whoever has begun.
    func historyRead() async throws {
        try await poll(reactor, "the history") {
            try self.shop.rows(
                "SELECT 1 FROM app_store_history WHERE read_until > now() - interval '30 minutes'"
            ).count == 2 ? () : nil
        }
    }

    // MARK: Accounts and apps

    /// Opens an account, and signs it in on a device.
    func open(_ name: String) async throws -> Buyer {
        let made = try await ask("POST", "/v1/accounts", ["externalId": .string(name)])
        guard let id = made["id"]?.text else { throw ProgramFailure("no account in \(made)") }
        let wish: JSONValue = ["scopes": ["app_store", "app_store:spend"], "lifetime": 3_600]
        let token = try await ask("POST", "/v1/accounts/\(id)/tokens", wish)["token"]?.text ?? ""
        let customer = try await ask("GET", "/app/v1/app-store/customer", as: token)
        return Buyer(account: id, token: token, customer: customer["appAccountToken"]?.text ?? "")
    }

    /// Asks until a server answers, as the shop's program or as an app; only for what may be repeated.
    private func ask(
        _ method: String,
        _ path: String,
        _ body: JSONValue? = nil,
        as token: String? = nil
    ) async throws -> JSONValue {
        let request = self.request(method, path, body, as: token ?? key)
        let response = try await ways.insist(request, over: .http1)
        guard (200...299).contains(response.status) else { throw UnexpectedAnswer(method + " " + path, response) }
        return try JSONParser.parse(response.body)
    }

    private func request(
        _ method: String,
        _ path: String,
        _ body: JSONValue?,
        as token: String,
        word: String? = nil
    ) -> OutboundRequest {
        var fields = [("Authorization", "Bearer " + token)]
        if body != nil { fields.append(("Content-Type", "application/json")) }
        if let word { fields.append(("Idempotency-Key", word)) }
        return OutboundRequest(method: method, url: path, fields: fields, body: body?.bytes ?? [])
    }

    /// Hands a purchase in until a server has answered; the outcome, or the code of the refusal.
    func submit(_ bought: Bought, for buyer: Buyer, over version: HTTPVersion = .http1) async throws -> String {
        let body: JSONValue = ["signedTransaction": .string(bought.text)]
        let request = request("POST", "/app/v1/app-store/transactions", body, as: buyer.token)
        let answer = try JSONParser.parse(try await ways.insist(request, over: version).body)
        return answer["outcome"]?.text ?? answer["code"]?.text ?? "\(answer)"
    }

    /// Spends units under a word, until a server has answered; whether there were enough.
    func spend(_ units: Int, of buyer: Buyer, word: String, over version: HTTPVersion = .http1) async throws -> Bool {
        let body: JSONValue = ["units": JSONValue(units), "reference": .string(word)]
        let request = request("POST", "/app/v1/app-store/spend", body, as: buyer.token, word: word)
        let response = try await ways.insist(request, over: version)
        if response.status == 200 { return true }
        guard try JSONParser.parse(response.body)["code"]?.text == "units_too_few" else {
            throw UnexpectedAnswer("spend", response)
        }
        return false
    }

    /// What an account has.
    func balance(_ buyer: Buyer, in environment: String = "Sandbox") async throws -> Int {
        let path = "/app/v1/app-store/balance?environment=" + environment
        return try await ask("GET", path, as: buyer.token)["units"]?.integer ?? .min
    }

    // MARK: The database

    /// Ledgers that contradict their entries, and purchases that do; none, whatever has happened.
    func contradictions() throws -> [[String?]] {
        try shop.rows(
            """
            SELECT 'ledger', l.ledger_id::text FROM app_store_ledger AS l LEFT JOIN app_store_entry AS e USING (ledger_id)
            GROUP BY l.ledger_id
            HAVING l.units <> coalesce(sum(e.units), 0) OR l.entries <> count(e) OR l.entries <> coalesce(max(e.sequence), 0)
            UNION ALL
            SELECT 'purchase', p.transaction_id FROM app_store_purchase AS p LEFT JOIN app_store_entry AS e USING (purchase_id)
            GROUP BY p.purchase_id
            HAVING p.granted - p.taken <> coalesce(sum(e.units), 0) OR count(e) FILTER (WHERE e.kind = 'purchase') > 1
            UNION ALL
            SELECT 'event', subject_id::text FROM event WHERE type = 'app_store.purchase.granted'
            GROUP BY subject_id HAVING count(*) > 1
            """
        )
    }

    /// What became of a notification's purchase, by the type of the notification.
    func outcomes() throws -> [String: String] {
        let rows = try shop.rows("SELECT type, outcome FROM app_store_notification")
        return Dictionary(rows.map { ($0[0] ?? "", $0[1] ?? "") }) { $0 + " " + $1 }
    }
}

/// A customer whose app is signed in.
struct Buyer: Sendable {
    let account: String
    /// The app shows it.
    let token: String
    /// The app passes it with purchases.
    let customer: String
}

/// The ways to the servers that are up: for apps over both versions of HTTP, and for Apple, which finds one place however many
/// there are and whenever they die.
final class ShopWays: RequestHandler {
    /// Where servers are.
    var places: [String] = []
    /// Notifications that have come, and what the server has answered; nothing where there was none.
    private(set) var delivered: [Int?] = []
    private let clients: [HTTPVersion: CurlClient]
    private let reactor: Reactor
    private var turn = 0

    init(_ reactor: Reactor) throws {
        var configuration = ClientConfiguration.patient(trusting: try TestKeys.get().authorityPath)
        (configuration.concurrencyLimit, configuration.idleConnections) = (4_096, 128)
        var clients: [HTTPVersion: CurlClient] = [:]
        for version in HTTPVersion.allCases {
            configuration.version = version
            clients[version] = CurlClient(reactor, configuration: configuration)
        }
        (self.clients, self.reactor) = (clients, reactor)
    }

    /// Sends to the next server once.
    func send(_ request: OutboundRequest, over version: HTTPVersion) async throws(HTTPExchangeError) -> InboundResponse
    {
        guard !places.isEmpty, let client = clients[version] else { throw HTTPExchangeError(.connectFailed) }
        turn += 1
        var routed = request.patient
        routed.url = places[turn % places.count] + request.url
        routed.fields.append(("host", ServerProcess.host))
        return try await client.send(routed)
    }

    /// Sends until a server answers what it was asked, whoever dies meanwhile.
    func insist(
        _ request: OutboundRequest,
        over version: HTTPVersion
    ) async throws(HTTPExchangeError) -> InboundResponse {
        let patience = Patience()
        while true {
            do throws(HTTPExchangeError) {
                let response = try await send(request, over: version)
                // Later, says a server whose database has just been left by another one.
                if response.status != 503 || !patience.isLeft { return response }
            } catch {
                guard patience.isLeft else { throw error }
            }
            await reactor.sleep(for: .milliseconds(20))
        }
    }

    /// Hands a notification on; where no server answers the connection ends.
    func handle(_ request: HTTPRequest) -> HandlerResult {
        let fields = [("content-type", "application/json")]
        let outbound = OutboundRequest(method: "POST", url: request.path, fields: fields, body: request.body)
        return .later {
            do throws(HTTPExchangeError) {
                let answer = try await self.send(outbound, over: .http1)
                self.delivered.append(answer.status)
                return HTTPResponse(HTTPStatus(answer.status) ?? .internalError, body: .bytes(answer.body))
            } catch {
                self.delivered.append(nil)
                throw HangUp()
            }
        }
    }

    /// Notifications are larger than forms.
    func bodyLimit(for request: HTTPRequest) -> Int? { 1 << 20 }
}

/// Runs a test with a shop that sells in the App Store, of which nothing is left afterwards.
///
/// - Parameter processes: How many servers are started.
func withPurchaseShop(
    processes: Int = 1,
    deadline: Duration = .seconds(300),
    _ body: @escaping @Sendable (PurchaseShop) async throws -> Void
) async throws {
    try await withProcessShop(over: .http2, deadline: deadline) { shop in
        let ways = try ShopWays(shop.reactor)
        let listener = ServerConfiguration.Listener(SocketAddress(v4: 0x7F00_0001, port: 0), .clear)
        let door = Server(ServerConfiguration(name: "ways", listeners: [listener]), logger: .silent)
        try door.attach(to: shop.reactor, handler: ways)
        let notified = "http://127.0.0.1:\(door.boundAddresses.first?.port ?? 0)/app-store/notifications"
        let apple = try await AppleProcess.start(in: shop.folder + "/apple", notifying: notified, on: shop.reactor)
        defer { apple.stop() }
        let secret = shop.folder + "/secret"
        try Files.write(secret, Array(("1 " + String(repeating: "5a", count: 32) + "\n").utf8), mode: 0o600)
        shop.settings = apple.settings.merging([
            "SALLYPORT_MERCHANT_SECRET_FILE": secret, "SALLYPORT_SERVICE_APP_REQUESTS_PER_MINUTE": "1000000",
            "SALLYPORT_APP_STORE_FORGERY_RATE": "6000",
        ]) { $1 }
        let key = try await shop.makeKey("accounts:read,accounts:write,app_store:read,app_store:write")
        let purchases = PurchaseShop(shop, apple, ways, key: key)
        for _ in 0..<processes { try await purchases.start() }
        try await body(purchases)
        await door.drain()
    }
}
