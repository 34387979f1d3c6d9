import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The transport of apps.
public struct URLSessionTransport: Transport {
    /// A redirect is an answer like any other: nothing of a request goes anywhere else.
    private final class NoRedirects: NSObject, URLSessionTaskDelegate {
        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }

    private let session: URLSession

    /// A transport.
    ///
    /// - Parameter timeout: For a response, in seconds.
    public init(timeout: TimeInterval = 45) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = timeout
        session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
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
}
