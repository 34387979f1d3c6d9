import EventIO
import HTTPCore
import IntegrationKit
import Postgres
import StrictJSON
import Testing

/// What a merchant's server keeps of an order.
final class CrowdOrder {
    /// How an order has ended, as far as its merchant knows.
    enum End {
        case paid, declined
        /// The session or the charge is not what it was: the database has lost something.
        case lost
    }

    let index: Int
    /// Its session, whose buyer has agreed.
    var crossing: Crossing?
    var creation = 0
    var end: End?
    /// Whether the database may have lost something of it.
    var isDoubtful = false

    init(_ index: Int) {
        self.index = index
    }

    var reference: String { "B-\(index)" }
    /// What the order costs; no order costs what another one does.
    var total: Int { 3_180 + index }
    /// What is taken of every second one.
    var capture: Int { index % 2 == 0 ? 3_000 + index % 97 : 0 }
    /// What is given back of every fourth.
    var refund: Int { index % 4 == 0 ? 700 + index % 89 : 0 }
}

/// A merchant's server that opens sessions for many buyers, and takes and gives back their money, as docs/merchant-guide.md
/// tells.
final class CrowdMerchant {
    private(set) lazy var events = EventReader { [unowned self] in try await insist("GET", $0) }
    /// Where the shop is.
    var servers: [ServerProcess]
    /// Whether what is committed will be lost.
    var isLosing = false {
        didSet { for order in underWay.values where isLosing { order.isDoubtful = true } }
    }
    /// How many orders were opened and paid while what is committed will be lost.
    private(set) var paidInLoss = 0
    private let shop: ProcessShop
    private var underWay: [Int: CrowdOrder] = [:]
    private var turn = 0

    init(_ shop: ProcessShop, _ servers: [ServerProcess]) {
        self.shop = shop
        self.servers = servers
    }

    /// Sells, and takes the money of every second one, and gives back a part of every fourth; again, the same requests again.
    func settle(_ order: CrowdOrder) async throws {
        underWay[order.index] = order
        defer { underWay[order.index] = nil }
        if isLosing { order.isDoubtful = true }
        let isNew = order.crossing == nil && isLosing
        let crossing = if let known = order.crossing { known } else { try await place(order) }
        order.crossing = crossing
        let body: JSONValue = [
            "returnTicket": .string(crossing.returnTicket), "orderReferenceId": .string(crossing.session),
            "appProof": .string(crossing.appProof),
        ]
        let paid = try await insist(
            "POST",
            "/v1/sessions/\(crossing.webviewSession)/complete",
            body,
            mark: "complete-\(order.index)"
        )
        var session = try JSONParser.parse(paid.body)
        switch paid.status {
        case 200: break
        case 402:
            order.end = .declined
            return
        case 404, 409, 410, 422:
            // The database has lost it, or the buyer's last steps; whether it was paid all the same the session tells.
            session = try JSONParser.parse(try await insist("GET", "/v1/sessions/" + crossing.webviewSession).body)
        default: throw UnexpectedAnswer("complete", paid)
        }
        guard let charge = session["charges"]?.elements.first?["id"]?.text else {
            order.end = .lost
            return
        }
        order.end = .paid
        if isNew && isLosing { paidInLoss += 1 }
        if order.capture > 0 { try await move(order, charge, "capture", order.capture) }
        if order.refund > 0 { try await move(order, charge, "refunds", order.refund) }
    }

    /// Takes money, or gives it back.
    private func move(_ order: CrowdOrder, _ charge: String, _ what: String, _ amount: Int) async throws {
        let body: JSONValue = ["amount": MerchantClient.yen(amount)]
        let mark = "\(what)-\(order.index)"
        let answer = try await insist("POST", "/v1/charges/\(charge)/\(what)", body, mark: mark)
        switch answer.status {
        case 200, 201: return
        // The charge itself is lost.
        case 404 where order.isDoubtful: order.end = .lost
        case 409 where order.isDoubtful, 422 where order.isDoubtful:
            // The ledger has heard of it otherwise: then the charge shows it.
            let shown = try JSONParser.parse(try await insist("GET", "/v1/charges/" + charge).body)
            let sum = shown[what == "capture" ? "captured" : "refunded"]?["amount"]?.text
            #expect(sum == "\(amount)", "\(mark): \(answer.text)")
        default: throw UnexpectedAnswer(mark, answer)
        }
    }

    /// Gives a session up that cannot come to its end.
    func cancel(_ order: CrowdOrder) async throws {
        let path = "/v1/sessions/\(order.crossing?.webviewSession ?? "")/cancel"
        let answer = try await insist("POST", path, [:], mark: "cancel-\(order.index)")
        guard [200, 404].contains(answer.status) else { throw UnexpectedAnswer(path, answer) }
    }

    /// Opens a session, and lets its buyer come to the end of the provider's pages.
    ///
    /// A buyer whose tab shows an error begins anew, and so does the merchant.
    private func place(_ order: CrowdOrder) async throws -> Crossing {
        try await poll(shop.reactor, "a buyer of \(order.reference) who agrees") {
            order.creation += 1
            let body = MerchantClient.order(
                client: "iosApp",
                [
                    JSONMember("reference", .string(order.reference)), JSONMember("returnUrl", .null),
                    JSONMember("postage", ["amount": MerchantClient.yen(order.total - 2_640)]),
                ]
            )
            let answer = try await self.insist(
                "POST",
                "/v1/sessions",
                body,
                mark: "open-\(order.index)-\(order.creation)"
            )
            let session = try JSONParser.parse(answer.body)
            guard answer.status == 201, let webviewSession = session["id"]?.text,
                let ticket = session["launch"]?["ticket"]?.text
            else {
                throw UnexpectedAnswer("sessions", answer)
            }
            var crossing = Crossing()
            crossing.webviewSession = webviewSession
            crossing.launchTicket = ticket
            crossing.appProof = session["launch"]?["appProof"]?.text ?? ""
            do {
                try await self.shop.client.open(&crossing, self.nextURL)
                try await self.shop.client.choose(&crossing, self.nextURL)
                try await self.shop.client.review(&crossing, self.nextURL)
                try await self.shop.client.agree(&crossing, self.nextURL)
                return crossing
            } catch is HTTPExchangeError {
                return nil
            } catch is UnexpectedAnswer {
                return nil
            }
        }
    }

    /// Sends the same request under the same name until there is an answer, and ends the leases of who was left in between.
    private func insist(
        _ method: String,
        _ path: String,
        _ body: JSONValue? = nil,
        mark: String? = nil
    ) async throws -> InboundResponse {
        try await poll(shop.reactor, "an answer to \(mark ?? path)") {
            do {
                let answer = try await self.shop.ask(self.nextURL, method, path, body?.bytes ?? [], mark: mark)
                let code = try JSONParser.parse(answer.body)["code"]?.text ?? ""
                guard [202, 429, 503].contains(answer.status) || code.hasSuffix("_in_progress") else { return answer }
                if let mark { try self.endLeases(path, mark) }
            } catch is HTTPExchangeError {
                // The server is gone.
            } catch is PostgresError {
                // So is the database.
            }
            return nil
        }
    }

    private func endLeases(_ path: String, _ mark: String) throws {
        let webviewSession =
            path.hasSuffix("/complete") ? String(path.dropFirst("/v1/sessions/".count).prefix(36)) : nil
        try shop.rows(
            """
            WITH f AS (UPDATE webview_session SET lease_until = now() WHERE state = 'purchasing' AND webview_session_id = $1::uuid),
                o AS (UPDATE payment_operation SET lease_until = now() WHERE state = 'open' AND idem = $2)
            UPDATE api_idempotency SET lease_until = now() WHERE idem = $2
            """,
            [webviewSession, mark]
        )
    }

    /// One of the servers, and the other one the next time.
    private var nextURL: String {
        turn += 1
        return servers[turn % servers.count].url
    }
}
