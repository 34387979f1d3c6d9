import Cryptography
package import Primitives

/// The right to carry a request out, named by the client so that a repeat of it has no second effect.
package struct IdempotencyClaim: Sendable, Hashable {
    /// The subject whose claims it is among, an account for one: a repeat under another API key meets it too.
    package let scope: UUIDBytes
    /// The API key or token of the request.
    package let key: UUIDBytes
    /// The client's word.
    package let text: String
    /// What the request was, which differs for another one under the same word.
    package let fingerprint: RequestFingerprint

    /// A claim.
    ///
    /// - Parameters:
    ///   - scope: The subject under which the request is carried out.
    package init(scope: UUIDBytes, key: UUIDBytes, word: IdempotencyWord, fingerprint: RequestFingerprint) {
        self.scope = scope
        self.key = key
        text = word.text
        self.fingerprint = fingerprint
    }

    /// The same for two requests of one claim: by it statements that race for a claim are put in one order.
    package var lockKey: UUIDBytes {
        let digest = SHA256.digest(of: scope.bytes + Array(text.utf8)).bytes
        return UUIDBytes(digest.span.extracting(..<16)) ?? scope
    }
}

/// An answer as it is kept for repeats of its request.
package struct StoredAnswer: Sendable, Hashable {
    /// The status it was sent with.
    package let status: Int
    /// The content: as it was sent, or sealed where it holds tokens.
    package let body: [UInt8]

    /// An answer.
    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// What became of an attempt to take a claim.
package enum ClaimOutcome: Sendable, Hashable {
    /// It is ours. The time, by the database's clock, differs from that of the holders before and after.
    case taken(until: WallTime)
    /// Somebody else had it first.
    case others(ClaimState)
}

/// What became of a claim that somebody else had first.
package enum ClaimState: Sendable, Hashable {
    /// The request was carried out: this was the answer, and this the webview session it was about.
    case answered(StoredAnswer, webviewSession: UUIDBytes?)
    /// It is being carried out; worth a look in so many seconds.
    case running(retryAfter: Int)
    /// The word was used for another request.
    case reused
    /// There is no such claim.
    case absent
}
