import Cryptography

/// An answer of Apple's service that exchanges receipts, by its status first.
package enum AttestReceiptAnswer: Sendable, Equatable {
    /// A newer receipt; nothing in it is believed yet.
    case receipt([UInt8])
    /// The time of the receipt has not come.
    case early
    /// Apple has nothing about the device, or nothing any more: it forgets attestations after thirty days. Where the device has
    /// another key attested, the same receipt is good again.
    case noData
    /// What was shown is no receipt, or our request is wrong.
    case badRequest
    /// Our key, its team or its rights are wrong, or our bearer token is too old.
    case credentials
    /// Too many requests.
    case throttled
    /// The service does not work, or is not reached.
    case unavailable
    /// Nothing that can be read, as of a proxy.
    case unreadable

    /// Where receipts are exchanged, behind the address of the service.
    package static let path = "/v1/attestationData"

    /// Reads an answer.
    package init(status: Int, content: [UInt8]) {
        switch status {
        case 200:
            // A line break at the end is no part of it.
            let end = content.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? 0
            let text = String(decoding: content[..<end], as: UTF8.self)
            guard let bytes = Base64.decode(text), !bytes.isEmpty, bytes.count <= AttestReceipt.greatestSize else {
                self = .unreadable
                return
            }
            self = .receipt(bytes)
        case 304: self = .early
        case 400, 405, 411, 413, 415: self = .badRequest
        case 401, 403: self = .credentials
        case 404: self = .noData
        case 429: self = .throttled
        case 500...599: self = .unavailable
        default: self = .unreadable
        }
    }

    /// For metrics and records.
    package var outcome: String {
        switch self {
        case .receipt: "renewed"
        case .early: "early"
        case .noData: "no-data"
        case .badRequest: "bad-request"
        case .credentials: "credentials"
        case .throttled: "throttled"
        case .unavailable: "unavailable"
        case .unreadable: "unreadable"
        }
    }

    /// All outcomes, for metrics that are there before anything happens.
    package static let outcomes = [
        "renewed", "early", "no-data", "bad-request", "credentials", "throttled", "unavailable", "unreadable",
    ]

    /// What it says of the service, for what keeps calls back: nothing of one key alone does.
    package var ofService: DeviceCheckAnswer {
        switch self {
        case .receipt, .early, .noData: .ok
        case .badRequest: .badRequest
        case .credentials: .credentials
        case .throttled: .throttled
        case .unavailable: .unavailable
        case .unreadable: .unreadable
        }
    }
}
