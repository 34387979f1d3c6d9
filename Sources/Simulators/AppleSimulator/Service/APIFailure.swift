import Cryptography
import SimulatorCore
import StrictJSON

/// A refusal of the API; the first three digits of its code are the HTTP status.
struct APIFailure: Error, Sendable, Equatable {
    let code: Int
    let message: String

    init(_ code: Int, _ message: String) {
        (self.code, self.message) = (code, message)
    }

    init(_ error: CryptographyError) {
        self.init(5_000_000, "An unknown error occurred.")
    }

    var status: Int { Self.status(of: code) ?? 500 }

    /// The answer that carries it.
    var answer: SimulatorAnswer {
        .json(status, ["errorCode": JSONValue(code), "errorMessage": .string(message)])
    }

    /// The HTTP status of a code of seven digits; `nil` for another number.
    static func status(of code: Int) -> Int? {
        (4_000_000...5_999_999).contains(code) ? code / 10_000 : nil
    }

    static let badTransactionID = APIFailure(4_000_006, "Invalid transaction id.")
    static let badRevision = APIFailure(4_000_005, "Invalid request revision.")
    static let isAppTransaction = APIFailure(4_000_048, "Invalid request. App transaction ids are not supported here.")
    static let unknownTransaction = APIFailure(4_040_010, "Transaction id not found.")
    static let unknownOriginal = APIFailure(4_040_005, "Original transaction id not found.")
}
