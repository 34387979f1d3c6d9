import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The transport of apps.
public final class URLSessionTransport: NSObject, Transport, URLSessionTaskDelegate, @unchecked Sendable {
    private var session = URLSession.shared

    /// A transport.
    ///
    /// - Parameter timeout: For a response, in seconds.
    public init(timeout: TimeInterval = 45) {
        super.init()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = timeout
        session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }

    /// Ends what is idle; a session would keep its delegate for ever.
    public func close() { session.finishTasksAndInvalidate() }

    /// Sends a request; a redirect is an answer like any other.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        var sent = URLRequest(url: request.url)
        sent.httpMethod = request.method
        for field in request.fields { sent.setValue(field.value, forHTTPHeaderField: field.name) }
        if request.method != "GET" { sent.httpBody = request.body }
        let (body, response) = try await session.data(for: sent)
        guard let response = response as? HTTPURLResponse else { throw CheckoutError("no response over HTTP") }
        var fields: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { fields[name] = value }
        }
        let cookies = HTTPCookie.cookies(withResponseHeaderFields: fields, for: request.url)
        return TransportResponse(
            status: response.statusCode,
            retryAfter: fields.first { $0.key.lowercased() == "retry-after" }.flatMap { TimeInterval($0.value) },
            cookies: Dictionary(cookies.map { ($0.name, $0.value) }) { $1 },
            body: body
        )
    }

    /// Follows no redirect.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
