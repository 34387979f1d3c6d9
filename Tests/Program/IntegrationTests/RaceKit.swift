import EventIO
import HTTPCore
import IntegrationKit
import Postgres
import Primitives
import TestKit
import Testing

/// The body of a refused purchase while another one is under way.
func isInProgress(_ answer: InboundResponse) -> Bool {
    answer.status == 409 && answer.text.contains("\"purchase_in_progress\"") && answer.first("Retry-After") != nil
}

extension ProcessShop {
    /// Lets as many buyers as may come answer the provider's pages by themselves.
    func turnAutopilotOn() async throws {
        try await control.nextBuyer(count: 1_000_000)
    }

    /// Every call for a completion that the provider has answered.
    func completions() async throws -> [SimulatorControl.Call] {
        try await control.calls("CompleteCheckoutSession")
    }

    /// Asks a server as the merchant's server does, which names its request by a mark.
    func ask(
        _ server: String,
        _ method: String,
        _ path: String,
        _ body: [UInt8] = [],
        mark: String? = nil
    ) async throws -> InboundResponse {
        let fields = [("Host", ServerProcess.host)] + MerchantKey.fields(mark)
        return try await http.send(method, server + path, fields: fields, body: body).response
    }

    /// Brings many webview sessions to the state issued.
    func issue(_ count: Int, on servers: [ServerProcess]) async throws -> [Crossing] {
        try await inParallel(reactor, Array(0..<count), atMost: 24) { index in
            try await self.client.issue(servers[index % servers.count].url)
        }
    }

    /// Brings one webview session to the state placed, with the buyer's part at the provider done.
    func place(on server: ServerProcess) async throws -> Crossing {
        var crossing = try await client.issue(server.url)
        try await client.open(&crossing, server.url)
        try await client.choose(&crossing, server.url)
        try await client.review(&crossing, server.url)
        try await client.agree(&crossing, server.url)
        return crossing
    }

    /// Brings many webview sessions to the state placed.
    func place(_ count: Int, on servers: [ServerProcess]) async throws -> [Crossing] {
        try await turnAutopilotOn()
        return try await inParallel(reactor, Array(0..<count), atMost: 16) { index in
            try await self.place(on: servers[index % servers.count])
        }
    }

    /// The state of a webview session in the database.
    func state(of crossing: Crossing) throws -> String {
        try state(of: crossing.webviewSession)
    }

    /// Lets the lease of a purchase be over, as if its holder had been gone for a while.
    func endLease(of crossing: Crossing) throws {
        try endLease(of: crossing.webviewSession)
    }

    /// Purchases until it is done, as an app does; between two tries the lease runs out.
    func purchaseUntilDone(_ crossing: Crossing, on server: ServerProcess) async throws -> InboundResponse {
        let patience = Patience()
        while patience.isLeft {
            let answer = try await client.purchase(crossing, server.url)
            if answer.status == 200 { return answer }
            guard answer.status == 503 || isInProgress(answer) else {
                throw UnexpectedAnswer("purchase", answer)
            }
            if try state(of: crossing) == "purchasing" { try endLease(of: crossing) }
        }
        throw ProgramFailure("the purchase does not come to its end")
    }

    /// Kills a server while the database holds back a change that it wants to store: neither is carried out afterwards.
    ///
    /// - Parameters:
    ///   - server: The one that makes the change.
    ///   - table: What it changes.
    ///   - condition: Which change of a row, for example `NEW.state = 'authorized'`.
    ///   - request: Leads to it; nobody waits for its answer.
    /// - Throws: `ProgramFailure` where the change does not come, `PostgresError`, `IOError`.
    func kill(
        _ server: ServerProcess,
        asItUpdates table: String,
        when condition: String,
        _ request: @escaping () async throws -> Void
    ) async throws {
        let holder = try PostgresAdmin(url: databaseURL)
        try holder.run(
            """
            CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END';
            CREATE TRIGGER hold BEFORE UPDATE ON \(table) FOR EACH ROW WHEN (\(condition)) EXECUTE FUNCTION hold();
            SELECT pg_advisory_lock(1)
            """
        )
        reactor.startTask { try? await request() }
        let waiting = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'"
        try await poll(reactor, "the change waits") { try rows(waiting).isEmpty ? nil : () }
        try await server.program.end(.kill)
        // Otherwise the server's connection would still carry out what it has already received.
        for row in try rows(waiting) { try rows("SELECT pg_terminate_backend($1::int, 5000)", row) }
        try holder.run("SELECT pg_advisory_unlock(1); DROP TRIGGER hold ON \(table); DROP FUNCTION hold()")
    }

    /// Asserts what must hold of every webview session that was paid for, by the ledger and the database.
    ///
    /// - Returns: The completions of each session.
    @discardableResult
    func expectPaidOnce(
        _ crossings: [Crossing],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String: [SimulatorControl.Call]] {
        let calls = Dictionary(grouping: try await completions(), by: \.session)
        let stored = try rows(
            "SELECT webview_session_id, state, total, order_ref, convert_from(result, 'UTF8') FROM webview_session"
        )
        let byWebviewSession = Dictionary(stored.map { ($0[0] ?? "", $0) }) { first, _ in first }
        for crossing in crossings {
            let effective = (calls[crossing.session] ?? []).filter(\.isEffective)
            let row = try #require(byWebviewSession[crossing.webviewSession], sourceLocation: sourceLocation)
            let total = crossing.total.map(String.init)
            #expect(effective.count == 1, "effective completions", sourceLocation: sourceLocation)
            #expect(effective.first?.amount == total, sourceLocation: sourceLocation)
            #expect(row[1] == "authorized", sourceLocation: sourceLocation)
            #expect(row[2] == total, sourceLocation: sourceLocation)
            #expect(row[3] == crossing.session, sourceLocation: sourceLocation)
            #expect(row[4]?.contains("\"status\":\"200\"") == true, sourceLocation: sourceLocation)
        }
        #expect(try rows("SELECT 1 FROM webview_session_purchase").isEmpty, sourceLocation: sourceLocation)
        return calls
    }
}

extension Tag {
    /// Needs a real PostgreSQL.
    @Tag static var database: Self
    /// Takes seconds.
    @Tag static var slow: Self
}
