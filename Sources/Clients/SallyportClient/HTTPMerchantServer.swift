import Foundation

/// A shop's server that speaks as the samples in `examples/server` do.
public struct HTTPMerchantServer: MerchantServer {
    private let base: URL
    private let transport: any Transport
    private let login: @Sendable () async throws -> String

    /// A server.
    ///
    /// - Parameters:
    ///   - base: Scheme https, host, and possibly a path; http is taken for this very machine only.
    ///   - login: The token of the buyer's login, asked for with each call.
    /// - Throws: ``ConfigurationError``.
    public init(
        at base: URL,
        transport: any Transport = URLSessionTransport(),
        login: @escaping @Sendable () async throws -> String
    ) throws {
        self.base = try base.checkedServer()
        self.transport = transport
        self.login = login
    }

    /// `POST /checkouts`.
    public func begin(order: some Encodable & Sendable, client: ClientKind, key: String) async throws -> URL {
        let content = try HTTPMerchantServer.content(order, client)
        let response = try await post("checkouts", content, [("Idempotency-Key", key)])
        let url = response.member("launchUrl").flatMap(URL.init(string:))
        guard response.status == 201, let url else {
            throw HTTPMerchantServer.unexpected(response)
        }
        return url
    }

    /// `POST /checkouts/return`.
    public func redeem(_ link: ReturnLink) async throws -> Redemption {
        let content = ["returnTicket": link.returnTicket, "orderReferenceId": link.orderReferenceID]
        return try HTTPMerchantServer.redemption(try await post("checkouts/return", JSONEncoder().encode(content), []))
    }

    /// `GET /checkouts/SESSION`.
    public func current(_ ticket: LaunchTicket) async throws -> Redemption {
        let url = base.appendingPathComponent("checkouts").appendingPathComponent(ticket.sessionID)
        let request = TransportRequest("GET", url, try await fields())
        return try HTTPMerchantServer.redemption(try await transport.send(request))
    }

    /// An order with the kind of the app as its member `client`.
    private static func content(_ order: some Encodable, _ client: ClientKind) throws -> Data {
        let text = try JSONEncoder.sorted.encode(order)
        let members = try JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed) as? [String: Any]
        guard let members, members["client"] == nil else {
            throw CheckoutError("an order is an object of JSON without a member `client`")
        }
        // Its own text: a number keeps its digits.
        let head = #"{"client":"\#(client.rawValue)""# + (members.isEmpty ? "" : ",")
        return Data(head.utf8) + text.dropFirst()
    }

    private func post(
        _ path: String,
        _ content: Data,
        _ more: [(String, String)]
    ) async throws -> TransportResponse {
        var request = TransportRequest(
            "POST",
            base.appendingPathComponent(path),
            try await fields() + [("Content-Type", "application/json")],
            body: content
        )
        for (name, value) in more { request.fields.append((name, value)) }
        return try await transport.send(request)
    }

    private func fields() async throws -> [(name: String, value: String)] {
        [("Authorization", "Bearer " + (try await login())), ("Accept", "application/json")]
    }

    private static func redemption(_ response: TransportResponse) throws -> Redemption {
        switch response.member("state") {
        case "paid": return .paid(Receipt(reference: response.member("reference"), total: response.member("total")))
        case "pending": return .pending(retryAfter: response.retryAfter ?? 1)
        case "continue":
            guard let url = response.member("launchUrl").flatMap(URL.init(string:)) else { break }
            return .again(url)
        case "none": return .nothing
        case "open": return .open
        case "declined": return .declined
        case "refused": return .ended(.refused)
        case "over": return .ended(.over)
        default: break
        }
        throw unexpected(response)
    }

    /// With what the shop's server says of it in `error`.
    private static func unexpected(_ response: TransportResponse) -> CheckoutError {
        let reason = response.member("error").map { ": " + $0.prefix(200) } ?? ""
        let words = "the shop answers \(response.status)\(reason)"
        return CheckoutError(words, retryAfter: response.retryAfter, status: response.status)
    }
}
