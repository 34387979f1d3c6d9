import HTTPCore
import Primitives
import StrictJSON

/// Something that the store tells a developer's server.
struct StoreNotification: Sendable {
    /// What a try came to, in the words of the API.
    enum AttemptResult: String, Sendable {
        case success = "SUCCESS"
        case timedOut = "TIMED_OUT"
        case noResponse = "NO_RESPONSE"
        case invalidResponse = "INVALID_RESPONSE"
        case prematureClose = "PREMATURE_CLOSE"
        case badStatus = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
        case other = "OTHER"

        /// What an answer comes to: only these statuses are taken for a success.
        init(status: Int) { self = (200...206).contains(status) ? .success : .badStatus }

        init(_ code: HTTPExchangeError.Code) {
            self =
                switch code {
                case .timedOut: .timedOut
                case .connectFailed, .refused: .noResponse
                case .connectionLost: .prematureClose
                case .protocolViolation, .bodyTooLarge: .invalidResponse
                }
        }
    }

    /// One try to deliver it.
    struct Attempt: Sendable {
        let date: WallTime
        let result: AttemptResult
        /// `nil` where no answer came.
        let status: Int?
    }

    let number: Int
    let environment: StoreEnvironment
    /// A UUID, the same in each try.
    let uuid: String
    let type: String
    let subtype: String?
    /// Of the purchase that it is about.
    let transaction: String?
    let signedAt: WallTime
    /// As it is sent: signed once, so that a late try does not make an old state look new.
    let text: String
    /// Of a test that a developer has asked for.
    var testToken: String?
    var attempts: [Attempt] = []
    /// By the simulated clock; `nil` where no try is to come.
    var dueAt: WallTime?
    var isUnderWay = false

    /// Hours between one try and the next.
    static func hoursToNextTry(after attempts: Int, in environment: StoreEnvironment) -> Int? {
        let hours = [1, 12, 24, 48, 72]
        return environment == .production && hours.indices.contains(attempts - 1) ? hours[attempts - 1] : nil
    }

    /// Whether no try has been successful.
    var isUndelivered: Bool { !attempts.contains { $0.result == .success } }

    /// The tries, as the API lists them.
    var sendAttempts: JSONValue {
        let times = TextTimes(environment: environment)
        return .array(
            attempts.map {
                ["attemptDate": times.value($0.date), "sendAttemptResult": .string($0.result.rawValue)]
            }
        )
    }

    /// What the control interface shows.
    var json: JSONValue {
        [
            "number": JSONValue(number), "environment": .string(environment.rawValue),
            "notificationUUID": .string(uuid), "notificationType": .string(type), "subtype": JSONValue(subtype),
            "transactionId": JSONValue(transaction), "signedDate": .string(CalendarDate(signedAt).extendedText),
            "next": JSONValue(dueAt.map { CalendarDate($0).extendedText }), "signedPayload": .string(text),
            "attempts": .array(
                attempts.map { attempt in
                    [
                        "date": .string(CalendarDate(attempt.date).extendedText),
                        "result": .string(attempt.result.rawValue),
                        "status": attempt.status.map { JSONValue($0) } ?? .null,
                    ]
                }
            ),
        ]
    }
}
