import Primitives

/// A push token that the service has given out.
struct KnownToken: Sendable {
    /// The topics that it is for.
    var topics: Set<OctetText>
    /// The number of the phone that has it; `nil` for one that a tester made known.
    var phone: Int?
    /// Since when the service knows that the phone wants no pushes any more; `nil` while it does not.
    var unregisteredAt: WallTime?
}

/// What the service found in a request.
struct PushVerdict: Sendable {
    /// Why it is refused; `nil` for an accepted one.
    var reason: PushReason?
    /// Since when its token is dead.
    var deadSince: WallTime?
    /// The topic that was found.
    var topic: String?
    /// When it is to be forgotten if the phone cannot be reached; `nil` for never.
    var expiresAt: WallTime?
    /// Whether it is for now or never.
    var isForNowOnly = false
    /// What is against the rules without being refused.
    var violations: [String] = []
}

/// The checks of the push service, one after the other.
struct PushChecks: Sendable {
    /// Keys of provider tokens.
    var keys: [ProviderKey] = []
    /// What it knows of push tokens, which are in lower case.
    var tokens: [OctetText: KnownToken] = [:]
    /// Whether a token that it does not know is accepted, and the notification goes nowhere.
    var acceptsUnknownTokens = false
    /// The last token of each key that was accepted, and when it came first.
    private var current: [OctetText: (token: ProviderToken, since: WallTime)] = [:]
    /// The key of the first token on each connection.
    private var connectionKeys: [Int: ProviderToken] = [:]

    /// Greatest length of a content in bytes.
    static let bodyLimit = 4_096
    private static let collapseLimit = 64
    private static let types: Set<OctetText> = [
        "alert", "background", "complication", "controls", "fileprovider", "liveactivity", "location", "mdm",
        "pushtotalk", "voip", "widgets",
    ]

    /// Whether a good provider token has come on a connection.
    func hasToken(_ connection: Int) -> Bool { connectionKeys[connection] != nil }

    /// Forgets a connection that has ended.
    mutating func forget(_ connection: Int) { connectionKeys[connection] = nil }

    /// Checks a request.
    mutating func check(_ request: PushRequest, now: WallTime) -> PushVerdict {
        var verdict = PushVerdict()
        verdict.violations = PushChecks.violations(of: request)
        do throws(PushReason) {
            try check(request, now: now, &verdict)
        } catch {
            verdict.reason = error
        }
        return verdict
    }

    private mutating func check(
        _ request: PushRequest,
        now: WallTime,
        _ verdict: inout PushVerdict
    ) throws(PushReason) {
        if request.hasDuplicates { throw .duplicateHeaders }
        guard request.first(":method")?.octets == "POST" else { throw .methodNotAllowed }
        let token: String
        switch request.target {
        case .unknown: throw .badPath
        case .missingToken: throw .missingDeviceToken
        case .device(let text): token = text
        }
        try authenticate(request, now: now)
        let topic = try PushChecks.topic(of: request)
        verdict.topic = topic
        try PushChecks.checkFields(of: request, now: now, &verdict)
        guard request.bodyBytes > 0 else { throw .payloadEmpty }
        guard request.bodyBytes <= PushChecks.bodyLimit else { throw .payloadTooLarge }
        // An odd number of digits is refused with the other foreign characters.
        guard !token.isEmpty, Hex.decode(token) != nil else { throw .badDeviceToken }
        guard let known = tokens[token.lowercased().octets] else {
            if acceptsUnknownTokens { return }
            throw .badDeviceToken
        }
        guard known.topics.contains(topic.octets) else { throw .deviceTokenNotForTopic }
        if let time = known.unregisteredAt {
            verdict.deadSince = time
            throw .unregistered
        }
    }

    private mutating func authenticate(_ request: PushRequest, now: WallTime) throws(PushReason) {
        if request.peer.hasCertificate {
            guard request.peer.complaint == nil, !request.peer.certificateTopics.isEmpty else { throw .badCertificate }
            return
        }
        guard let authorization = request.first("authorization") else { throw .missingProviderToken }
        let token = try ProviderToken(authorization, keys: keys, now: now)
        if let first = connectionKeys[request.connection], first.team.octets != token.team.octets {
            throw .unrelatedKeyIdInToken
        }
        if let (last, since) = current[token.keyID.octets], last != token {
            // An older one is still good for as long as it lives.
            if token.issuedAt >= last.issuedAt {
                guard now >= since + ProviderToken.updateInterval else { throw .tooManyProviderTokenUpdates }
                current[token.keyID.octets] = (token, now)
            }
        } else if current[token.keyID.octets] == nil {
            current[token.keyID.octets] = (token, now)
        }
        if connectionKeys[request.connection] == nil { connectionKeys[request.connection] = token }
    }

    private static func topic(of request: PushRequest) throws(PushReason) -> String {
        let allowed = request.peer.certificateTopics
        guard let topic = request.first("apns-topic"), !topic.isEmpty else {
            guard allowed.count == 1 else { throw .missingTopic }
            return allowed[0]
        }
        guard topic.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .badTopic }
        if request.peer.hasCertificate, !allowed.contains(where: { $0.octets == topic.octets }) {
            throw .topicDisallowed
        }
        return topic
    }

    private static func checkFields(
        of request: PushRequest,
        now: WallTime,
        _ verdict: inout PushVerdict
    ) throws(PushReason) {
        if let id = request.first("apns-id"), UUIDBytes(id) == nil { throw .badMessageId }
        if let text = request.first("apns-expiration") {
            guard let seconds = Int64(text), (0...4_102_444_800).contains(seconds) else { throw .badExpirationDate }
            verdict.isForNowOnly = seconds == 0
            verdict.expiresAt = seconds == 0 ? nil : WallTime(seconds: seconds)
        }
        let priority = request.first("apns-priority") ?? "10"
        guard ["1", "5", "10"].contains(where: { $0.octets == priority.octets }) else { throw .badPriority }
        if let type = request.first("apns-push-type") {
            guard types.contains(type.octets) else { throw .invalidPushType }
            if type.octets == "background", priority.octets == "10" { throw .badPriority }
        }
        if let id = request.first("apns-collapse-id"), id.utf8.count > collapseLimit { throw .badCollapseId }
    }

    private static func violations(of request: PushRequest) -> [String] {
        var found: [String] = []
        if request.body != Array("{}".utf8) { found.append("a body other than {}") }
        if !request.peer.hasALPN { found.append("no ALPN") }
        if request.peer.hasCertificate, request.first("authorization") != nil {
            found.append("an authorization field next to a certificate")
        }
        return found
    }
}
