import EventIO
import HTTPCore
import Primitives
import Web

/// How often keys and tokens may be used, shared by the loops of a process.
///
/// Apps are counted by their account, so that none uses up what another account or the merchant has. What buyers cause by coming back counts for their session alone: a buyer who reloads a page does not use up the key's rate.
final class ServiceLimits: Sendable {
    private let requests: RequestLimit
    private let sessionRequests: RequestLimit
    private let accountRequests: RequestLimit

    /// More keys than any operator hands out.
    private static let keys = 4_096
    /// More sessions than come to their end in a minute.
    private static let sessions = 16_384
    /// As many accounts whose apps ask in a minute.
    private static let accounts = 16_384
    /// A buyer's part of the key's rate.
    private static let sessionShare = 10

    /// Limits with nothing counted yet.
    init(perMinute: Int, accountsPerMinute: Int, _ headers: HeaderPolicy) {
        requests = RequestLimit("key", perMinute: perMinute, capacity: ServiceLimits.keys, headers)
        let part = perMinute / ServiceLimits.sessionShare
        sessionRequests = RequestLimit("session", perMinute: part, capacity: ServiceLimits.sessions, headers)
        accountRequests = RequestLimit(
            "account",
            perMinute: accountsPerMinute,
            capacity: ServiceLimits.accounts,
            headers
        )
    }

    /// Counts a request of a key.
    func count(_ key: UUIDBytes, at now: MonotonicTime) -> RequestQuota {
        requests.count(key, now)
    }

    /// Counts a request that a session's buyer has caused.
    func count(session: UUIDBytes, at now: MonotonicTime) -> RequestQuota {
        sessionRequests.count(session, now)
    }

    /// Counts a request of an account's app.
    func count(account: UUIDBytes, at now: MonotonicTime) -> RequestQuota {
        accountRequests.count(account, now)
    }
}

/// One limit, and how answers name it.
private final class RequestLimit: Sendable {
    private let limiter: Lock<RateLimiter>
    private let fields: AnswerFields
    /// What `RateLimit` begins with.
    private let name: String

    init(_ name: String, perMinute: Int, capacity: Int, _ headers: HeaderPolicy) {
        self.name = "\"\(name)\";r="
        let perMinute = max(1, perMinute)
        limiter = Lock(RateLimiter(perMinute: perMinute, capacity: capacity))
        fields = AnswerFields(headers, HTTPField(.rateLimitPolicy, "\"\(name)\";q=\(perMinute);w=60"))
    }

    func count(_ id: UUIDBytes, _ now: MonotonicTime) -> RequestQuota {
        let now = now.microseconds
        // Ids of keys, sessions and accounts are random in their low half.
        let (wait, room) = limiter.withLock { ($0.take(id.low, at: now), $0.room(id.low, at: now)) }
        // A refusal says when one more request is let in, in both fields.
        return RequestQuota(wait: wait, fields: fields, value: "\(name)\(room.events);t=\(wait ?? room.seconds)")
    }
}

/// What a limit leaves to who was counted.
struct RequestQuota: Sendable {
    /// Seconds to wait where the request is one too many.
    let wait: Int?
    /// Those of the answer, with the policy.
    let fields: AnswerFields
    /// Of `RateLimit`, as draft-ietf-httpapi-ratelimit-headers has it.
    let value: String
}

/// The fields that answers below `/v1` share.
struct AnswerFields: Sendable {
    /// Of one that was let in and carried out.
    let answer: FieldBlock
    /// Of a refusal.
    let problem: FieldBlock

    /// Those of a deployment.
    ///
    /// - Parameters:
    ///   - policy: The limit that has counted the request.
    init(_ headers: HeaderPolicy, _ policy: HTTPField? = nil) {
        let more = policy.map { [$0] } ?? []
        answer = headers.json.adding(more)
        problem = headers.problem.adding(more)
    }
}
