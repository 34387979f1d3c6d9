/// Carries one request to another server and brings back its response.
///
/// Domains take one as a parameter; the one in production speaks HTTPS, the one in tests has a script.
package protocol HTTPExchange: AnyObject {
    /// Sends a request and waits for the whole response.
    ///
    /// - Parameter request: What to send; its timeout covers everything.
    /// - Returns: The response, whatever its status. Redirects are not followed.
    /// - Throws: See `HTTPExchangeError.Code`, which also says whether a retry is safe.
    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse
}

/// A request to another server.
package struct OutboundRequest: Sendable {
    /// For example `POST`.
    package var method: String
    /// Absolute, percent-encoded, `https` or (to loopback) `http`.
    package var url: String
    /// Names and values in the order in which they go out.
    package var fields: [(String, String)]
    /// The content; empty for none.
    package var body: [UInt8]
    /// From the call to the last byte of the response.
    package var timeout: Duration
    /// What decides the outcome besides the status.
    package var needs: NeededContent

    /// The given request.
    ///
    /// - Parameters:
    ///   - method: For example `POST`.
    ///   - needs: What decides the outcome besides the status.
    package init(
        method: String,
        url: String,
        fields: [(String, String)] = [],
        body: [UInt8] = [],
        timeout: Duration = .seconds(10),
        needs: NeededContent = .ofEveryStatus
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.timeout = timeout
        self.needs = needs
    }
}

/// Which responses count with their content, and which by their status line alone.
package enum NeededContent: Sendable, Hashable {
    /// A response counts once it is whole.
    case ofEveryStatus
    /// A response with this status counts once it is whole, any other by its status line.
    case of(status: Int)
    /// A response counts by its status line.
    case none

    /// Whether a response counts by its status line: what follows may be of any length, and end in any way.
    ///
    /// - Parameter status: Of a response that is not an interim one.
    /// - Returns: Its content is dropped then.
    package func isDecided(by status: Int) -> Bool {
        switch self {
        case .ofEveryStatus: false
        case .of(let needed): status != needed
        case .none: true
        }
    }
}

/// The response of another server.
package struct InboundResponse: Sendable {
    /// 100 to 599.
    package var status: Int
    /// Names as they came, and values.
    package var fields: [(String, String)]
    /// The content; empty where the request does not need it.
    package var body: [UInt8]

    /// The given response.
    ///
    /// - Parameters:
    ///   - status: 100 to 599.
    package init(status: Int, fields: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The value of the first field of a name, or `nil` where there is none.
    ///
    /// - Parameter name: Compared without regard to the case of ASCII letters.
    package func first(_ name: String) -> String? {
        let field = fields.first { $0.0.utf8Span.span.isEqualIgnoringCase(to: name.utf8Span.span) }
        return field?.1
    }
}

/// The failure of an exchange.
package struct HTTPExchangeError: Error, Sendable {
    /// What went wrong, for programs.
    package enum Code: Sendable, Hashable {
        /// No connection: nothing was sent, a retry is safe.
        case connectFailed
        /// The server has not taken the request: nothing was done, a retry is safe.
        case refused
        /// The timeout ran out; the outcome is unknown.
        case timedOut
        /// The connection broke; the outcome is unknown.
        case connectionLost
        /// The response is larger than the limit; the outcome is unknown.
        case bodyTooLarge
        /// The response is not HTTP; the outcome is unknown.
        case protocolViolation
    }

    /// What went wrong, for programs.
    package let code: Code
    /// What went wrong, for operators; never sent to a client.
    package let detail: String
    /// Whether it says nothing of the server: the request was refused or cancelled on this side.
    package let isOurs: Bool

    /// The given failure.
    ///
    /// - Parameters:
    ///   - detail: For operators: no secret, no address of a person.
    package init(_ code: Code, detail: String = "", isOurs: Bool = false) {
        self.code = code
        self.detail = detail
        self.isOurs = isOurs
    }
}

extension HTTPExchangeError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The code alone.
    package var description: String { "\(code)" }

    /// Code and detail, for operators.
    package var debugDescription: String { "\(code): \(detail)" }
}
