import HTTPCore
import Primitives
import StrictJSON

/// What is to be done about a push that was answered, or was not.
enum PushAction: Sendable, Equatable {
    /// Accepted, which does not say delivered.
    case done
    /// Nothing more is to be sent; the token stays.
    case keep
    /// The token is dead. One that is only suspect may show a wrong host or certificate, where many are.
    case drop(isSuspect: Bool)
    /// The same again later.
    case again(PushPause)
    /// A new provider token, and the same once more.
    case renewToken
    /// The provider token before the last one goes on being used; the same again later.
    case keepOlderToken(PushPause)
    /// A fault on this side: nothing more is sent for the pass type.
    case halt
}

/// How long a push waits to be sent again.
struct PushPause: Sendable, Equatable {
    /// At least.
    var base: Duration
    /// Whether it doubles with each answer of the kind, and ends after so many.
    var doubles = false
    /// Whether the connection is not to be used any more.
    var needsNewConnection = false

    /// How many times one push is sent again that is answered so.
    static let mostAttempts = 8
    /// After so long a change is not worth another try.
    static let mostAge = Duration.seconds(24 * 3_600)

    /// The pause of a push; `nil` where it is not sent again.
    ///
    /// - Parameters:
    ///   - attempts: Answers before that asked for patience.
    ///   - age: Of the change.
    func pause(attempts: Int, age: Duration, random: any RandomSource) -> Duration? {
        guard doubles else { return base }
        let bound = base * (1 << min(max(0, attempts), 16))
        // Never less than asked for, and not all at the same moment.
        let pause = bound + bound * (Double(random.number(byteCount: 4)) / Double(UInt32.max) / 5)
        return attempts + 1 < PushPause.mostAttempts && age + pause <= PushPause.mostAge ? pause : nil
    }
}

/// An answer of the push service.
struct PushAnswer: Sendable, Equatable {
    let status: Int
    /// `nil` where it gives none, or none that can be read.
    let reason: String?
    /// Since when the token has been dead.
    let deadSince: WallTime?

    init(_ response: InboundResponse) {
        status = response.status
        let body = try? JSONParser.parse(response.body, depth: 4, values: 64)
        // Reasons are words; anything else is for nobody to see.
        reason = body?["reason"]?.text.flatMap { text in
            (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(PushAnswer.isLetter) ? text : nil
        }
        deadSince = body?["timestamp"]?.integer.flatMap { milliseconds in
            (0...PushAnswer.lastMillisecond).contains(milliseconds)
                ? WallTime(microseconds: Int64(milliseconds) * 1_000) : nil
        }
    }

    /// The year 9999.
    private static let lastMillisecond = 253_402_300_799_999

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// What is to be done.
    ///
    /// - Parameter stored: When the token was stored that was pushed to: a phone may have registered again since it was dead.
    func action(tokenStored stored: WallTime) -> PushAction {
        let known = reason.flatMap { PushReason(word: $0.octets) }
        switch status {
        case 200: return .done
        case 410: return deadSince.map { stored < $0 } ?? true ? .drop(isSuspect: false) : .keep
        case 429:
            guard known == .tooManyProviderTokenUpdates else {
                return .again(PushPause(base: .seconds(60), doubles: true))
            }
            return .keepOlderToken(PushPause(base: .seconds(1_200)))
        case 500...599:
            guard known == .shutdown else { return .again(PushAnswer.patience) }
            return .again(PushPause(base: .seconds(1), needsNewConnection: true))
        case 400, 403...405, 413: return known?.action ?? (status == 400 ? .keep : .halt)
        default: return .keep
        }
    }

    /// For a service that has a fault.
    static let patience = PushPause(base: .seconds(900), doubles: true)
}

/// The reasons that the push service gives for a refusal, and what is done about each.
enum PushReason: String, Sendable, CaseIterable {
    case badDeviceToken = "BadDeviceToken"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    case badTopic = "BadTopic"
    case missingTopic = "MissingTopic"
    case topicDisallowed = "TopicDisallowed"
    case invalidPushType = "InvalidPushType"
    case badPriority = "BadPriority"
    case badExpirationDate = "BadExpirationDate"
    case badMessageId = "BadMessageId"
    case badCollapseId = "BadCollapseId"
    case duplicateHeaders = "DuplicateHeaders"
    case payloadEmpty = "PayloadEmpty"
    case missingDeviceToken = "MissingDeviceToken"
    case idleTimeout = "IdleTimeout"
    case badCertificate = "BadCertificate"
    case badCertificateEnvironment = "BadCertificateEnvironment"
    case expiredProviderToken = "ExpiredProviderToken"
    case invalidProviderToken = "InvalidProviderToken"
    case missingProviderToken = "MissingProviderToken"
    case unrelatedKeyIdInToken = "UnrelatedKeyIdInToken"
    case badEnvironmentKeyIdInToken = "BadEnvironmentKeyIdInToken"
    case forbidden = "Forbidden"
    case badPath = "BadPath"
    case methodNotAllowed = "MethodNotAllowed"
    case unregistered = "Unregistered"
    case expiredToken = "ExpiredToken"
    case payloadTooLarge = "PayloadTooLarge"
    case tooManyRequests = "TooManyRequests"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case internalServerError = "InternalServerError"
    case serviceUnavailable = "ServiceUnavailable"
    case shutdown = "Shutdown"

    /// What follows from it where the status leaves it open.
    fileprivate var action: PushAction {
        switch self {
        case .badDeviceToken, .deviceTokenNotForTopic: .drop(isSuspect: true)
        case .missingDeviceToken: .keep
        case .idleTimeout, .unrelatedKeyIdInToken: .again(PushPause(base: .seconds(1), needsNewConnection: true))
        case .expiredProviderToken: .renewToken
        default: .halt
        }
    }
}

extension PushAction {
    /// What is to be done about a push without an answer.
    init(_ error: HTTPExchangeError) {
        switch error.code {
        // Nothing was done; not at full speed, where a server refuses everything.
        case .refused: self = .again(PushPause(base: .milliseconds(50)))
        case .connectFailed, .connectionLost: self = .again(PushPause(base: .seconds(1)))
        case .timedOut: self = .again(PushPause(base: .seconds(5)))
        case .bodyTooLarge, .protocolViolation: self = .again(PushAnswer.patience)
        }
    }
}
