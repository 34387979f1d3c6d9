import Foundation
import SallyportClient
import Testing

/// What an app's order becomes on its way to the shop's server.
@Suite struct MerchantServerTests {
    private struct Order: Encodable {
        let items = ["tea": 2]
        let coupon = "SPRING"
        let weight = Decimal(string: "1.1")
    }

    private func sent(_ order: some Encodable & Sendable) async throws -> String {
        let transport = Recorder()
        let server = try HTTPMerchantServer(
            at: try #require(URL(string: "https://shop.example.com")),
            transport: transport
        ) { "login" }
        await #expect(throws: CheckoutError.self) {
            try await server.begin(order: order, client: .androidApp, key: "one")
        }
        return try #require(await transport.bodies.first)
    }

    @Test func `an order of any form goes out as it is written, with the kind of the app beside it`() async throws {
        #expect(try await sent(Order()) == #"{"client":"androidApp","coupon":"SPRING","items":{"tea":2},"weight":1.1}"#)
        #expect(try await sent(["items": ["tea": 2]]) == #"{"client":"androidApp","items":{"tea":2}}"#)
        #expect(try await sent([String: Int]()) == #"{"client":"androidApp"}"#)
    }

    @Test func `an order that is no object, or names the kind of the app itself, is not sent`() async throws {
        let transport = Recorder()
        let server = try HTTPMerchantServer(
            at: try #require(URL(string: "https://shop.example.com")),
            transport: transport
        ) { "login" }
        let refused = CheckoutError("an order is an object of JSON without a member `client`")
        await #expect(throws: refused) { try await server.begin(order: ["tea"], client: .iosApp, key: "one") }
        await #expect(throws: refused) { try await server.begin(order: "tea", client: .iosApp, key: "one") }
        await #expect(throws: refused) {
            try await server.begin(order: ["client": "site"], client: .iosApp, key: "one")
        }
        #expect(await transport.bodies.isEmpty)
    }

    @Test func `errors have a text for people, too`() throws {
        #expect(CheckoutError("the shop answers 503").localizedDescription == "the shop answers 503")
        #expect(ReturnLinkRefusal.late.localizedDescription == "the link was not taken: late")
        let pay = try #require(URL(string: "https://pay.example.com"))
        let error = #expect(throws: ConfigurationError.self) {
            try CheckoutConfiguration(webOrigin: pay, linkOrigin: pay)
        }
        #expect(error?.localizedDescription == "a link on the page's own host never opens the app: pay.example.com")
    }

    @Test func `failures are the same where their errors have the same text`() {
        #expect(CheckoutState.failed(CheckoutError("a", status: 500)) == .failed(CheckoutError("a")))
        #expect(CheckoutState.failed(CheckoutError("a")) != .failed(CheckoutError("b")))
        #expect(CheckoutState.failed(CheckoutError("a")) != .idle)
    }
}

/// A server that keeps what it gets, and refuses it.
private actor Recorder: Transport {
    private(set) var bodies: [String] = []

    func send(_ request: TransportRequest) -> TransportResponse {
        bodies.append(String(decoding: request.body, as: UTF8.self))
        return TransportResponse(status: 500, body: Data())
    }
}
