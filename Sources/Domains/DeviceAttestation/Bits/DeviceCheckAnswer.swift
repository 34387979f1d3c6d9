package import Primitives
import StrictJSON

/// The two stores of bits at Apple, which know nothing of each other.
package enum DeviceEnvironment: String, Sendable, Hashable, CaseIterable {
    /// Of apps from the App Store and TestFlight.
    case production
    /// Of apps that are signed for development.
    case development
}

/// Calls of Apple's service.
package enum DeviceCheckCall: String, Sendable, Hashable, CaseIterable {
    /// Reads the bits.
    case query = "query_two_bits"
    /// Writes them.
    case update = "update_two_bits"
    /// Asks whether a token is genuine.
    case validate = "validate_device_token"

    /// Behind the address of the environment.
    package var path: String { "/v1/" + rawValue }
}

/// A request to Apple's service, without what says whose it is.
package enum DeviceCheckRequest: Sendable, Hashable {
    /// Reads the bits.
    case query
    /// Both bits are sent always: nobody says what becomes of one that is not.
    case update(DeviceBits)
    /// Asks whether the token is genuine.
    case validate

    /// Which call it is.
    package var call: DeviceCheckCall {
        switch self {
        case .query: .query
        case .update: .update
        case .validate: .validate
        }
    }

    /// The content.
    ///
    /// - Parameters:
    ///   - transactionID: Stays the same for each try.
    ///   - now: Of the try.
    package func content(_ token: DeviceToken, transactionID: UUIDBytes, at now: WallTime) -> [UInt8] {
        var members: [JSONMember] = [
            JSONMember("device_token", .string(token.reveal())),
            JSONMember("transaction_id", .string(transactionID.description)),
            JSONMember("timestamp", .number(String(now.microseconds / 1_000))),
        ]
        if case .update(let bits) = self {
            members += [JSONMember("bit0", .bool(bits.bit0)), JSONMember("bit1", .bool(bits.bit1))]
        }
        return JSONValue.object(members).bytes
    }
}

/// An answer of Apple's service, by its status first.
package enum DeviceCheckAnswer: Sendable, Equatable {
    /// What is known of the device.
    case record(DeviceRecord)
    /// Done; of an update or a validation.
    case ok
    /// The token is not taken: the app makes a new one.
    case badDeviceToken
    /// Our request is wrong, or our clock.
    case badRequest
    /// Our key, its team or its rights are wrong.
    case credentials
    /// Our bearer token is too old.
    case credentialsExpired
    /// Too many requests.
    case throttled
    /// Apple's service does not work, or is not reached.
    case unavailable
    /// Nothing that can be read, as of a proxy: it says nothing of the device.
    case unreadable

    /// For metrics and records.
    package var outcome: String {
        switch self {
        case .record(.neverSet): "never-set"
        case .record(.bits): "bits"
        case .ok: "ok"
        case .badDeviceToken: "bad-device-token"
        case .badRequest: "bad-request"
        case .credentials: "credentials"
        case .credentialsExpired: "credentials-expired"
        case .throttled: "throttled"
        case .unavailable: "unavailable"
        case .unreadable: "unreadable"
        }
    }

    /// All outcomes, for metrics that are there before anything happens.
    package static let outcomes = [
        "bits", "never-set", "ok", "bad-device-token", "bad-request", "credentials", "credentials-expired",
        "throttled", "unavailable", "unreadable",
    ]

    /// Whether another try can make sense.
    package var canRetry: Bool {
        switch self {
        case .credentialsExpired, .throttled, .unavailable, .unreadable: true
        case .record, .ok, .badDeviceToken, .badRequest, .credentials: false
        }
    }

    /// Reads an answer.
    package init(to call: DeviceCheckCall, status: Int, content: [UInt8]) {
        switch status {
        case 200: self = call == .query ? DeviceCheckAnswer.record(in: content).map(Self.record) ?? .unreadable : .ok
        case 400:
            let text = DeviceCheckText(content)
            self =
                text.holds("device token")
                ? .badDeviceToken : text.holds("authorization token") ? .credentials : .badRequest
        case 401:
            self =
                DeviceCheckText(content).isEqual(to: "authorization token expired") ? .credentialsExpired : .credentials
        case 403: self = .credentials
        case 405, 411, 413, 415: self = .badRequest
        case 429: self = .throttled
        case 500...599: self = .unavailable
        default: self = .unreadable
        }
    }

    /// The record of an answer; `nil` for all that is neither both bits nor, word for word, that there are none.
    private static func record(in content: [UInt8]) -> DeviceRecord? {
        let value = try? JSONParser.parse(content, depth: 8, values: 256)
        if let bit0 = value?["bit0"]?.flag, let bit1 = value?["bit1"]?.flag {
            let month = value?["last_update_time"]?.text.flatMap { DeviceMonth($0) }
            return .bits(DeviceBits(bit0: bit0, bit1: bit1), lastUpdate: month)
        }
        let text = DeviceCheckText(content)
        // A page of a proxy must not hand out a free trial to everybody.
        let isNeverSet = text.isEqual(to: "failed to find bit state") || text.isEqual(to: "bit state not found")
        return isNeverSet ? .neverSet : nil
    }
}

/// The text of an answer: without white space around it and without regard to case, or the message in an object.
private struct DeviceCheckText {
    private let octets: [UInt8]

    init(_ content: [UInt8]) {
        let message = (try? JSONParser.parse(content, depth: 8, values: 256))?["responseMessage"]?.text
        let octets = message.map { Array($0.utf8) } ?? content
        let isBlank = { (octet: UInt8) in octet == 0x20 || (0x09...0x0D).contains(octet) }
        let start = octets.firstIndex { !isBlank($0) } ?? octets.endIndex
        let end = octets.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
        self.octets = octets[start..<end].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    /// Whether it is a text of small letters.
    func isEqual(to text: String) -> Bool { octets.elementsEqual(text.utf8) }

    /// Whether it holds a text of small letters; one without content holds none.
    func holds(_ text: String) -> Bool { octets.contains(Array(text.utf8)) }
}
