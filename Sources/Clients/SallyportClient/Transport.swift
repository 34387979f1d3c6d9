import Foundation

/// A request of the client; paths and hosts are its own, never those of a link.
public struct TransportRequest: Sendable {
    /// `GET`, `POST` or `PUT`.
    public let method: String
    /// With scheme and host.
    public let url: URL
    /// Names and values.
    public var fields: [(name: String, value: String)]
    /// Empty for a GET.
    public let body: Data

    init(_ method: String, _ url: URL, _ fields: [(name: String, value: String)] = [], body: Data = Data()) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }
}

/// What came back.
public struct TransportResponse: Sendable {
    /// The status.
    public let status: Int
    /// What `Retry-After` asks for, in seconds.
    public let retryAfter: TimeInterval?
    /// Cookies that were set, by name.
    public let cookies: [String: String]
    /// The content.
    public let body: Data

    /// A response.
    ///
    /// - Parameters:
    ///   - retryAfter: What `Retry-After` asks for, in seconds.
    public init(status: Int, retryAfter: TimeInterval? = nil, cookies: [String: String] = [:], body: Data) {
        self.status = status
        self.retryAfter = retryAfter
        self.cookies = cookies
        self.body = body
    }

    func member(_ name: String) -> String? {
        (try? JSONSerialization.jsonObject(with: body) as? [String: Any])?[name] as? String
    }

    /// A member that is `true` or `false`, and nothing that only looks like it.
    func flag(_ name: String) -> Bool? {
        struct Flag: Decodable {
            let value: Bool?

            init(from decoder: any Decoder) throws {
                value = try? decoder.singleValueContainer().decode(Bool.self)
            }
        }
        return (try? JSONDecoder().decode([String: Flag].self, from: body))?[name]?.value
    }
}

/// One request, one response, over TLS; no redirect is followed, no cookie kept.
public protocol Transport: Sendable {
    /// Sends a request and waits for the response.
    ///
    /// - Throws: Where there is none; it is then unknown whether the request was carried out.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}
