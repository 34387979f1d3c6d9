import EventIO
import HTTPClient
import HTTPCore
import IntegrationKit
import StrictJSON
import Testing

@Suite("A crowd of buyers at a merchant", .tags(.database, .slow), .serialized)
struct CrowdTests {
    /// How many sessions a merchant opens.
    private static let buyers = 1_000
    /// How many of the buyers have a card that is declined.
    private static let declined = 50
    /// How many are under way at once.
    private static let width = 48

    /// Faults by chance, each of them on its own requests.
    private static let faults = ["CompleteCheckoutSession", "CaptureCharge", "CreateRefund"].flatMap { operation in
        [#""resetAfter":true"#, #""resetBefore":true"#, #""status":500"#, #""truncateBody":true"#].map { action in
            #"{"match":{"operation":"\#(operation)","permille":60,"seed":"\#(operation)\#(action.count)","count":100000},"#
                + #""action":{\#(action)}}"#
        }
    }

    @Test func `pays exactly once each, and both ledgers agree to the yen`() async throws {
        try await withProcessShop { shop in
            for name in ["MERCHANT_REQUESTS_PER_MINUTE", "LIMITS_ISSUE_PER_MINUTE", "LIMITS_FLOWS_TOTAL"] {
                shop.settings["SALLYPORT_" + name] = "1000000"
            }
            shop.settings["SALLYPORT_MERCHANT_API"] = "true"
            // Whoever comes first at the provider has the bad cards.
            let bad = #"{"cardId":"card-3434","answers":["consent","mfa","3ds"],"count":\#(CrowdTests.declined)}"#
            _ = try await shop.client.control("next-buyer", bad)
            try await shop.turnAutopilotOn()
            let servers = [try await shop.startServer(), try await shop.startServer()]
            try shop.rows(MerchantKey.insertion)
            let merchant = CrowdMerchant(shop, servers)
            let crossings = try await inParallel(shop.reactor, Array(0..<CrowdTests.buyers), atMost: CrowdTests.width) {
                index in
                try await merchant.place(index)
            }
            for fault in CrowdTests.faults { _ = try await shop.client.control("faults", fault) }
            let paid = try await inParallel(
                shop.reactor,
                crossings.enumerated().map { ($0, $1) },
                atMost: CrowdTests.width
            ) {
                try await merchant.settle($0.0, $0.1)
            }
            let count = paid.filter(\.self).count
            #expect(count == CrowdTests.buyers - CrowdTests.declined)
            _ = try await shop.client.clearFaults()
            let calls = try await shop.completions()
            #expect(calls.filter(\.isEffective).count == count)
            #expect(calls.count > CrowdTests.buyers, "the faults have met somebody")
            try await CrowdTests.compare(shop, merchant, paid: count)
        }
    }

    private static func compare(_ shop: ProcessShop, _ merchant: CrowdMerchant, paid: Int) async throws {
        // Nothing is under way, and everybody was told everything once.
        for table in ["flow_purchasing", "payment_operation_open"] {
            #expect(try shop.rows("SELECT 1 FROM \(table)").isEmpty, "\(table)")
        }
        let states = try shop.rows("SELECT state, count(*) FROM merchant_order GROUP BY 1 ORDER BY 1").map {
            "\($0[0] ?? "") \($0[1] ?? "")"
        }
        let events = try shop.rows(
            "SELECT count(*), count(DISTINCT (flow_id, sequence)), count(DISTINCT (flow_id, type)) FROM merchant_event"
        )
        #expect(Set(events[0]).count == 1, "an event came twice: \(events)")
        let sums = try shop.rows(
            """
            SELECT count(*) FILTER (WHERE state = 'declined'), count(*) FILTER (WHERE state <> 'declined'),
                sum(captured), sum(refunded) FROM merchant_order
            """
        )[0].map { $0 ?? "" }
        #expect(sums[0...1] == ["\(declined)", "\(paid)"], "\(states)")
        // Every charge and refund there is here, with the same state and sums, and there are no others.
        let ours = try shop.rows(
            "SELECT object_id, kind, state, amount, captured, refunded FROM payment_object WHERE kind IN ('charge', 'refund')"
        ).map { $0.map { $0 ?? "" } }
        let counts = try JSONParser.parse(try await shop.client.control("state"))["counts"]
        #expect(counts?["charges"]?.integer == ours.filter { $0[1] == "charge" }.count)
        #expect(counts?["refunds"]?.integer == ours.filter { $0[1] == "refund" }.count)
        for row in ours {
            let theirs = try JSONParser.parse(try await shop.client.control("objects/" + row[0]))
            func sum(_ name: String) -> String { theirs[name]?["amount"]?.text ?? "0" }
            if row[1] == "charge" {
                #expect(theirs["statusDetails"]?["state"]?.text == row[2], "\(row)")
                #expect([sum("chargeAmount"), sum("captureAmount"), sum("refundedAmount")] == row[3...], "\(row)")
            } else {
                #expect(sum("refundAmount") == row[3], "\(row)")
            }
        }
    }
}

/// A merchant's server that opens sessions for many buyers, and takes and gives back their money.
private final class CrowdMerchant {
    private let shop: ProcessShop
    private let servers: [ServerProcess]
    private let curl: CurlClient

    init(_ shop: ProcessShop, _ servers: [ServerProcess]) {
        self.shop = shop
        self.servers = servers
        var configuration = ClientConfiguration.patient
        configuration.concurrencyLimit = 256
        curl = CurlClient(shop.reactor, configuration: configuration)
    }

    /// Opens a session, and lets its buyer come to the end of the provider's pages.
    func place(_ index: Int) async throws -> Crossing {
        let server = servers[index % servers.count].url
        let order = MerchantClient.order(
            client: "iosApp",
            [JSONMember("reference", "B-\(index)"), JSONMember("returnUrl", .null)]
        )
        let answer = try await send("POST", server + "/v1/sessions", order.bytes, "open-\(index)")
        let session = try JSONParser.parse(answer.body)
        guard answer.status == 201, let flow = session["id"]?.text, let ticket = session["launch"]?["ticket"]?.text
        else {
            throw UnexpectedAnswer("sessions", answer)
        }
        var crossing = Crossing()
        crossing.flow = flow
        crossing.launchTicket = ticket
        crossing.appProof = session["launch"]?["appProof"]?.text ?? ""
        try await shop.client.open(&crossing, server)
        try await shop.client.choose(&crossing, server)
        try await shop.client.review(&crossing, server)
        try await shop.client.agree(&crossing, server)
        return crossing
    }

    /// Completes the payment; takes the money of every second one, and gives back a part of every fourth.
    ///
    /// - Returns: False where the payment was declined.
    func settle(_ index: Int, _ crossing: Crossing) async throws -> Bool {
        let body: JSONValue = [
            "returnTicket": .string(crossing.returnTicket), "orderReferenceId": .string(crossing.session),
            "appProof": .string(crossing.appProof),
        ]
        let paid = try await insist(index, "/v1/sessions/\(crossing.flow)/complete", body, "complete-\(index)")
        if paid.status == 402 { return false }
        guard paid.status == 200 else { throw UnexpectedAnswer("complete", paid) }
        guard index % 2 == 0 else { return true }
        let charge = try JSONParser.parse(paid.body)["charges"]?.elements.first?["id"]?.text ?? ""
        let taken = try await insist(
            index,
            "/v1/charges/\(charge)/capture",
            ["amount": MerchantClient.yen(3_000)],
            "capture-\(index)"
        )
        guard taken.status == 200 else { throw UnexpectedAnswer("capture", taken) }
        guard index % 4 == 0 else { return true }
        let given = try await insist(
            index,
            "/v1/charges/\(charge)/refunds",
            ["amount": MerchantClient.yen(700)],
            "refund-\(index)"
        )
        guard given.status == 201 else { throw UnexpectedAnswer("refund", given) }
        return true
    }

    /// Asks until there is an answer, and ends the leases of who was left in between.
    private func insist(_ index: Int, _ path: String, _ body: JSONValue, _ mark: String) async throws -> InboundResponse
    {
        for round in 0..<12 {
            let url = servers[(index + round) % servers.count].url + path
            let answer = try await send("POST", url, body.bytes, mark)
            // 202: the payment is under way, with whoever holds its lease.
            guard [202, 409, 503].contains(answer.status) else { return answer }
            try shop.rows(
                "UPDATE flow SET lease_until = now() WHERE state = 'purchasing' AND flow_id = $1::uuid",
                [path.flow]
            )
            try shop.rows("UPDATE payment_operation SET lease_until = now() WHERE state = 'open' AND idem = $1", [mark])
            try shop.rows("UPDATE api_idempotency SET lease_until = now() WHERE idem = $1", [mark])
        }
        throw ProgramFailure("\(path) does not come to its end")
    }

    private func send(_ method: String, _ url: String, _ body: [UInt8], _ mark: String) async throws -> InboundResponse
    {
        let request = OutboundRequest(
            method: method,
            url: url,
            fields: [("Host", ServerProcess.host)] + MerchantKey.fields(mark),
            body: body
        )
        return try await curl.send(request.patient)
    }
}

extension String {
    /// The flow in a path of a session; the least id where there is none.
    fileprivate var flow: String {
        hasPrefix("/v1/sessions/") ? String(dropFirst(13).prefix(36)) : "00000000-0000-0000-0000-000000000000"
    }
}
