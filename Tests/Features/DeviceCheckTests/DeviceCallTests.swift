import DeviceAttestation
import EventIO
import HTTPClient
import HTTPCore
import Primitives
import TestKit
import Testing

@testable import DeviceCheck

@Suite("A call of the DeviceCheck service")
struct DeviceCallTests {
    /// A server that never answers; time passes as it is waited for.
    private final class SilentServer: HTTPExchange {
        let clock: ManualClock
        let reactor: Reactor
        private(set) var timeouts: [Duration] = []

        init(_ clock: ManualClock, _ reactor: Reactor) { (self.clock, self.reactor) = (clock, reactor) }

        func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
            timeouts.append(request.timeout)
            clock.advance(by: request.timeout, waking: reactor.executor)
            await reactor.nextTurn()
            throw HTTPExchangeError(.timedOut)
        }
    }

    @Test func `ends within five seconds, whatever is heard`() async throws {
        try await DeviceServiceBench.run { bench, _ in
            let token = try await bench.token()
            let server = SilentServer(bench.clock, bench.reactor)
            let service = AppleDeviceService(bench.settings, bench.access, over: server, on: bench.reactor)
            let start = bench.clock.monotonicNow()
            var reply: DeviceServiceReply?
            bench.reactor.startTask { reply = await service.ask(.query, about: token, in: .production) }
            _ = await waitUntil(bench.reactor) {
                bench.clock.advance(by: .milliseconds(5), waking: bench.reactor.executor)
                return reply != nil
            }
            #expect(reply?.answer == .unavailable && server.timeouts.count == 2)
            #expect(server.timeouts.first == .seconds(3) && server.timeouts.allSatisfy { $0 <= .seconds(3) })
            #expect(bench.clock.monotonicNow() - start <= .milliseconds(5_100))
        }
    }

    /// A listener that speaks no TLS, and a port at which nobody listens.
    @Test(arguments: ["https://127.0.0.1:PORT/production", "http://127.0.0.1:1"])
    func `that reaches nobody is tried as often as one without an answer`(address: String) async throws {
        try await DeviceServiceBench.run { bench, _ in
            let token = try await bench.token()
            let port = (bench.texts["PRODUCTION_URL"] ?? "").split(separator: ":")[2].prefix { $0.isNumber }
            var texts = bench.texts
            texts["PRODUCTION_URL"] = address.replacing("PORT", with: port)
            let settings = try DeviceServiceBench.settings(texts)
            let client = CurlClient(bench.reactor, configuration: settings.purpose(.production).configuration)
            let exchange = WatchedExchange(client)
            let service = AppleDeviceService(settings, bench.access, over: exchange, on: bench.reactor)
            var reply: DeviceServiceReply?
            bench.reactor.startTask { reply = await service.ask(.query, about: token, in: .production) }
            _ = await waitUntil(bench.reactor) {
                if exchange.pending == 0 { bench.clock.advance(by: .milliseconds(50), waking: bench.reactor.executor) }
                return reply != nil
            }
            #expect(reply?.answer == .unavailable && reply?.attempts == 3 && exchange.requests.count == 3)
        }
    }

    @Test func `shows how far the clocks are apart`() throws {
        let now = WallTime(seconds: 1_795_900_000)
        func difference(_ text: String) -> Int64? {
            AppleDeviceService.clockDifference(InboundResponse(status: 200, fields: [("Date", text)]), at: now)
        }
        var date: [UInt8] = []
        HTTPDate.append(now + .seconds(75), to: &date)
        #expect(difference(String(decoding: date, as: UTF8.self)) == 75 && difference("soon") == nil)
    }
}
