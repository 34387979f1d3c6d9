/// Why the service does not do what it is asked, by the word under which a fault names it.
enum DeviceCheckRefusal: String, Error, Sendable, CaseIterable {
    case badDeviceToken
    case badBits
    case badTimestamp
    /// There is no token of a request, or none that can be read.
    case badAuthorization
    case badPayload
    case invalidAuthorization
    case expiredAuthorization
    case forbidden
    case methodNotAllowed
    case tooManyRequests
    case serverError
    case unavailable

    /// The HTTP status.
    var status: Int {
        switch self {
        case .badDeviceToken, .badBits, .badTimestamp, .badAuthorization, .badPayload: 400
        case .invalidAuthorization, .expiredAuthorization: 401
        case .forbidden: 403
        case .methodNotAllowed: 405
        case .tooManyRequests: 429
        case .serverError: 500
        case .unavailable: 503
        }
    }

    /// The first of a status; `nil` for a status that the service does not have.
    init?(status: Int) {
        guard let found = Self.allCases.first(where: { $0.status == status }) else { return nil }
        self = found
    }

    /// As the vendor's documentation has it.
    var documented: String {
        switch self {
        case .badDeviceToken: "Bad Device Token"
        case .badBits: "Bad Bits"
        case .badTimestamp: "Bad Timestamp"
        case .badAuthorization: "Bad Authorization Token"
        case .badPayload: "Bad Payload"
        case .invalidAuthorization: "Invalid Authorization Token"
        case .expiredAuthorization: "Authorization Token Expired"
        case .forbidden: "Forbidden"
        case .methodNotAllowed: "Method Not Allowed"
        case .tooManyRequests: "Too Many Requests"
        case .serverError: "Server Error"
        case .unavailable: "Service Unavailable"
        }
    }

    /// As servers have seen it; the documented text where nobody has said what he saw.
    var seen: String {
        switch self {
        case .badDeviceToken: "Missing or incorrectly formatted device token payload"
        case .badBits: "Missing or incorrectly formatted bits"
        case .badTimestamp: "Missing or incorrectly formatted time stamp"
        case .badAuthorization: "Missing or badly formatted authorization token"
        case .invalidAuthorization: "Unable to verify authorization token"
        case .badPayload, .expiredAuthorization, .forbidden, .methodNotAllowed, .tooManyRequests, .serverError,
            .unavailable:
            documented
        }
    }
}
