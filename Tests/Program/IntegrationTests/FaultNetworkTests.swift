import EventIO
import HTTPCore
import IntegrationKit
import PostgresTestKit
import Testing

// One after the other: the load of some would take the time that others have to answer in.
@Suite("Faults between server and database", .serialized, .tags(.database, .slow))
struct FaultNetworkTests {
    @Test(arguments: [[FaultProxy.Direction.toServer], [.toClient], [.toServer, .toClient]])
    func `a second of silence delays or refuses, and loses and doubles nothing`(
        directions: [FaultProxy.Direction]
    ) async throws {
        try await withProxiedServer { shop, proxy, server in
            let load = OpeningLoad(shop, [server])
            load.start(tasks: 16)
            try await load.wait(forOpens: 50)
            for direction in directions { await proxy.hold(direction) }
            await shop.reactor.sleep(for: .seconds(1))
            await proxy.release()
            try await load.wait(forOpens: load.opened.count + 50)
            try await load.stop()
            #expect(load.surprises == [], "only success and 503")
            #expect(load.longest < .seconds(60), "nobody hangs beyond the deadlines")
            try load.expectNothingLost()
        }
    }

    @Test(arguments: FaultProxy.Cut.allCases)
    func `connections that break under load lose and double nothing`(cut: FaultProxy.Cut) async throws {
        try await withProxiedServer { shop, proxy, server in
            let load = OpeningLoad(shop, [server])
            load.start(tasks: 16)
            for statement in [
                "webview_session_issue", "webview_session_open_first", "webview_session_issue",
                "webview_session_open_first",
            ] {
                try await load.wait(forOpens: load.opened.count + 20)
                await proxy.cut(cut, atGroupWith: statement)
                try await poll(shop.reactor, "the cut") { proxy.hasCut ? () : nil }
            }
            try await load.wait(forOpens: load.opened.count + 20)
            try await load.stop()
            #expect(load.surprises == [], "only success and 503")
            try load.expectNothingLost()
        }
    }

    @Test(arguments: [FaultProxy.Cut.afterSync, .afterAnswer])
    func `an answer lost on the way is looked up`(cut: FaultProxy.Cut) async throws {
        try await withProxiedServer { shop, proxy, server in
            try await shop.turnAutopilotOn()
            var crossing = try await issue(shop, server)
            await proxy.cut(cut, atGroupWith: "webview_session_open_first")
            try await shop.client.open(&crossing, server.url)
            #expect(proxy.hasCut)
            try await shop.client.choose(&crossing, server.url)
            #expect(try shop.rows("SELECT 1 FROM webview_session_event WHERE outcome = 'opened'").count == 1)
        }
    }

    @Test func `a transition that did not take place is told as such, and can be repeated`() async throws {
        try await withProxiedServer { shop, proxy, server in
            var crossing = try await issue(shop, server)
            await proxy.cut(.beforeSync, atGroupWith: "webview_session_open_first")
            let answer = try await shop.client.tryOpen(crossing, server.url)
            #expect(answer.status == 503)
            #expect(answer.first("Retry-After") != nil)
            #expect(try shop.state(of: crossing) == "issued")
            try await shop.client.open(&crossing, server.url)
        }
    }

    @Test func `a client that hangs up leaves whole transitions behind, and nothing in the server`() async throws {
        try await withProxiedServer { shop, proxy, server in
            var crossings: [Crossing] = []
            for _ in 0..<4 {
                // An answer just now: no heartbeat is under way, and what was held before has arrived.
                let crossing = try await issue(shop, server)
                crossings.append(crossing)
                await proxy.hold(.toClient, of: .writers)
                let path = "/button?secureWebviewSessionId=" + crossing.launchTicket
                let client = try RawClient(server.url)
                try client.send("GET \(path) HTTP/1.1\r\nHost: \(ServerProcess.host)\r\n\r\n")
                try await poll(shop.reactor, "the open") { try shop.state(of: crossing) == "opened" ? () : nil }
                client.hangUp()
                await proxy.release()
            }
            let admin = server.adminURL + "/metrics"
            try await poll(shop.reactor, "the end of the connections") {
                let text = try await shop.client.send("GET", admin).text
                return text.contains("sallyport_http_open_connections{server=\"public\"} 1\n")
                    || text.contains("sallyport_http_open_connections{server=\"public\"} 0\n") ? () : nil
            }
            // The answer never arrived, so the ticket opens once more.
            for crossing in crossings {
                var again = crossing
                try await shop.client.open(&again, server.url)
            }
            #expect(
                try shop.rows("SELECT 1 FROM webview_session_event WHERE outcome = 'reopened'").count == crossings.count
            )
        }
    }
}

/// Runs a body with a server that reaches its database through a network that the body rules.
private func withProxiedServer(
    _ body: @escaping @Sendable (ProcessShop, FaultProxy, ServerProcess) async throws -> Void
) async throws {
    try await withProcessShop { shop in
        let direct = shop.databaseURL
        let proxy = try FaultProxy(to: direct)
        shop.databaseURL = proxy.url
        // A slow machine comes back late.
        shop.settings["SALLYPORT_OPEN_REOPEN_WINDOW"] = "60s"
        let server = try await shop.startServer()
        shop.databaseURL = direct
        try await body(shop, proxy, server)
    }
}

/// A ticket; a machine that is slower than its deadlines says 503 first.
private func issue(_ shop: ProcessShop, _ server: ServerProcess) async throws -> Crossing {
    try await poll(shop.reactor, "a ticket") { () throws -> Crossing? in
        do {
            return try await shop.client.issue(server.url)
        } catch let answer as UnexpectedAnswer where answer.status == 503 {
            return nil
        }
    }
}
