/// Why the service does not do what it is asked, by the word under which a fault names it.
enum DeviceCheckRefusal: String, Error, Sendable, CaseIterable {
    case badDeviceToken
    case badBits
    case badTimestamp
    /// There is no token of a request, or none that can be read.
    case badAuthorization
    case badPayload
    /// What is shown is no receipt.
    case badReceipt
    case invalidAuthorization
    case expiredAuthorization
    case forbidden
    /// There is nothing about the device of a receipt, or nothing any more.
    case noData
    /// The time of a receipt has not come.
    case tooEarly
    case methodNotAllowed
    case tooManyRequests
    case serverError
    case unavailable

    /// The HTTP status.
    var status: Int {
        switch self {
        case .badDeviceToken, .badBits, .badTimestamp, .badAuthorization, .badPayload, .badReceipt: 400
        case .invalidAuthorization, .expiredAuthorization: 401
        case .forbidden: 403
        case .noData: 404
        case .tooEarly: 304
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
        case .badPayload, .badReceipt: "Bad Payload"
        case .invalidAuthorization: "Invalid Authorization Token"
        case .expiredAuthorization: "Authorization Token Expired"
        case .forbidden: "Forbidden"
        case .noData: "No data found"
        case .tooEarly: ""
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
        case .badPayload, .badReceipt, .expiredAuthorization, .forbidden, .noData, .tooEarly, .methodNotAllowed,
            .tooManyRequests, .serverError, .unavailable:
            documented
        }
    }
}
