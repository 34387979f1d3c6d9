import DeviceAttestation
import Primitives
import StrictJSON

/// Apple's service, as requests about devices meet it; tests have one that follows a script.
protocol DeviceService: AnyObject {
    /// Asks with all tries that make sense; never throws, since everything that goes wrong is an answer.
    func ask(
        _ request: DeviceCheckRequest,
        about token: DeviceToken,
        in environment: DeviceEnvironment
    ) async -> DeviceServiceReply
}

/// What came of a call with all its tries.
struct DeviceServiceReply {
    let answer: DeviceCheckAnswer
    /// The same for each try.
    let transactionID: UUIDBytes
    /// How often Apple was asked; 0 where calls are kept back.
    let attempts: Int
    let latency: Duration
    /// What Apple calls the request, by the names of the fields.
    var correlation: [(name: String, value: String)] = []
    /// When Apple wants to be asked again, where it says so.
    var retryAfter: Duration?

    /// The row of the history.
    func row(of call: DeviceCheckCall, in environment: DeviceEnvironment) -> JSONValue {
        [
            "kind": "call", "outcome": .string(answer.outcome),
            "detail": .object(
                [
                    JSONMember("call", .string(call.rawValue)),
                    JSONMember("environment", .string(environment.rawValue)),
                    JSONMember("transactionId", .string(transactionID.description)),
                    JSONMember("attempts", JSONValue(attempts)),
                    JSONMember("milliseconds", JSONValue(Int(latency / .milliseconds(1)))),
                ] + correlation.map { JSONMember($0.name, .string($0.value)) }
            ),
        ]
    }

    /// Whether an update may have been carried out although nobody says so: a try before the last one may have been the one that was.
    var isUncertain: Bool {
        switch answer {
        case .ok, .record: false
        case .unavailable, .unreadable: attempts > 0
        case .badDeviceToken, .badRequest, .credentials, .credentialsExpired, .throttled: attempts > 1
        }
    }
}
