import Foundation

#if canImport(CryptoKit)
import CryptoKit
#endif

/// The calls that the cart page makes, without a web view: for tests and for programs of the command line.
public actor HTTPCartPage: CartPage {
    /// What a page keeps while the buyer is away: its cookies, ticket and verifier.
    ///
    /// All of it is secret.
    public struct Memory: Sendable, Codable {
        var cookies: [String: String] = [:]
        var ticket: String?
        var verifier: String?

        /// Nothing yet.
        public init() {}
    }

    /// SHA-256 of bytes.
    public typealias Digest = @Sendable (Data) -> Data

    /// What is to be kept.
    public private(set) var memory: Memory
    private let configuration: CheckoutConfiguration
    private let transport: any Transport
    private let digest: Digest?

    /// A page.
    ///
    /// - Parameters:
    ///   - digest: SHA-256, for a verifier (RFC 7636); without one none is sent, which profile strict refuses.
    public init(
        _ configuration: CheckoutConfiguration,
        transport: any Transport = URLSessionTransport(),
        memory: Memory = Memory(),
        digest: Digest? = HTTPCartPage.systemDigest
    ) {
        self.configuration = configuration
        self.transport = transport
        self.memory = memory
        self.digest = digest
    }

    /// SHA-256 where the system brings one along.
    public static var systemDigest: Digest? {
        #if canImport(CryptoKit)
        return { Data(SHA256.hash(data: $0)) }
        #else
        return nil
        #endif
    }

    /// Loads the page and asks for a launch ticket, as its button does.
    ///
    /// - Parameter quantities: By the names of the page's fields, `hd8` and `hd10` in the sample shop.
    /// - Returns: The ticket for the tab.
    /// - Throws: ``CheckoutError`` or what the transport throws.
    public func begin(_ quantities: [String: Int]) async throws -> LaunchTicket {
        let page = try await send("GET", configuration.client.rawValue + "/cart", [:])
        guard page.status == 200 else {
            throw CheckoutError("the cart answers \(page.status)", retryAfter: page.retryAfter)
        }
        var fields = quantities.mapValues(String.init)
        fields["client"] = configuration.client.rawValue
        var verifier: String?
        if let digest {
            let fresh = HTTPCartPage.base64URL(Data((0..<32).map { _ in UInt8.random(in: 0...255) }))
            fields["code_challenge"] = HTTPCartPage.base64URL(digest(Data(fresh.utf8)))
            fields["code_challenge_method"] = "S256"
            verifier = fresh
        }
        let response = try await send("POST", "secureWebviewSession", fields)
        guard response.status == 200, let ticket = response.member("secureWebviewSessionId").flatMap(LaunchTicket.init)
        else {
            let code = response.member("error") ?? "\(response.status)"
            throw CheckoutError("no ticket: \(code)", retryAfter: response.retryAfter)
        }
        memory.ticket = ticket.text
        memory.verifier = verifier
        return ticket
    }

    /// `POST /purchase`.
    public func purchase(_ link: ReturnLink) async throws -> Redemption {
        var fields = [
            "secureWebviewSessionId": link.returnTicket, "accessToken": link.accessToken,
            "orderReferenceId": link.orderReferenceID,
        ]
        fields["old_secureWebviewSessionId"] = memory.ticket
        fields["code_verifier"] = memory.verifier
        let response = try await send("POST", "purchase", fields)
        let code = response.member("error")
        switch (response.status, code) {
        case (200, _): return .paid(Receipt(reference: response.member("orderId"), total: nil))
        case (202, _):
            guard let ticket = response.member("secureWebviewSessionId").flatMap(LaunchTicket.init) else { break }
            memory.ticket = ticket.text
            return .again(configuration.launchURL(ticket))
        case (429, _), (503, _), (_, "not_ready"), (_, "purchase_in_progress"):
            return .pending(retryAfter: response.retryAfter ?? 1)
        case (402, _): return .declined
        case (403, _): return .ended(.refused)
        case (404, _), (410, _): return .ended(.over)
        case (409, _), (422, _): return .ended(.changed)
        default: break
        }
        throw CheckoutError("the purchase answers \(response.status)", retryAfter: response.retryAfter)
    }

    private func send(_ method: String, _ path: String, _ form: [String: String]) async throws -> TransportResponse {
        var fields = [("Accept", method == "GET" ? "text/html" : "application/json")]
        if !memory.cookies.isEmpty {
            fields.append(
                (
                    "Cookie",
                    memory.cookies.sorted { $0.key < $1.key }.map { $0.key + "=" + $0.value }.joined(separator: "; ")
                )
            )
        }
        if method == "POST" { fields.append(("Content-Type", "application/x-www-form-urlencoded")) }
        let content = form.sorted { $0.key < $1.key }.map {
            HTTPCartPage.encoded($0.key) + "=" + HTTPCartPage.encoded($0.value)
        }
        let response = try await transport.send(
            TransportRequest(
                method,
                configuration.webOrigin.appendingPathComponent(path),
                fields.map { (name: $0.0, value: $0.1) },
                body: Data(content.joined(separator: "&").utf8)
            )
        )
        memory.cookies.merge(response.cookies) { $1 }
        return response
    }

    private static func encoded(_ text: String) -> String {
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }

    private static func base64URL(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
