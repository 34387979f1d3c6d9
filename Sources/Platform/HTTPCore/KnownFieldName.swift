/// The field names this program has a use for, and those that browsers send all the time.
///
/// A request keeps one byte for such a name in place of its text, so that a look-up compares one byte. The raw value
/// is the spelling that goes out over HTTP/1.1.
enum KnownFieldName: String, Sendable, CaseIterable {
    case accept = "Accept"
    case acceptEncoding = "Accept-Encoding"
    case acceptLanguage = "Accept-Language"
    case allow = "Allow"
    case authorization = "Authorization"
    case cacheControl = "Cache-Control"
    case connection = "Connection"
    case contentDisposition = "Content-Disposition"
    case contentEncoding = "Content-Encoding"
    case contentLength = "Content-Length"
    case contentSecurityPolicy = "Content-Security-Policy"
    case contentSecurityPolicyReportOnly = "Content-Security-Policy-Report-Only"
    case contentType = "Content-Type"
    case cookie = "Cookie"
    case crossOriginOpenerPolicy = "Cross-Origin-Opener-Policy"
    case crossOriginResourcePolicy = "Cross-Origin-Resource-Policy"
    case date = "Date"
    case doNotTrack = "DNT"
    case entityTag = "ETag"
    case expect = "Expect"
    case forwarded = "Forwarded"
    case host = "Host"
    case idempotencyKey = "Idempotency-Key"
    case idempotentReplayed = "Idempotent-Replayed"
    case ifModifiedSince = "If-Modified-Since"
    case ifNoneMatch = "If-None-Match"
    case keepAlive = "Keep-Alive"
    case lastModified = "Last-Modified"
    case location = "Location"
    case origin = "Origin"
    case permissionsPolicy = "Permissions-Policy"
    case pragma = "Pragma"
    case priority = "Priority"
    case purpose = "Purpose"
    case range = "Range"
    case rateLimit = "RateLimit"
    case rateLimitPolicy = "RateLimit-Policy"
    case referer = "Referer"
    case referrerPolicy = "Referrer-Policy"
    case reportTo = "Report-To"
    case reportingEndpoints = "Reporting-Endpoints"
    case retryAfter = "Retry-After"
    case secClientHints = "Sec-CH-UA"
    case secClientHintsMobile = "Sec-CH-UA-Mobile"
    case secClientHintsPlatform = "Sec-CH-UA-Platform"
    case secFetchDestination = "Sec-Fetch-Dest"
    case secFetchMode = "Sec-Fetch-Mode"
    case secFetchSite = "Sec-Fetch-Site"
    case secFetchUser = "Sec-Fetch-User"
    case secPurpose = "Sec-Purpose"
    case setCookie = "Set-Cookie"
    case strictTransportSecurity = "Strict-Transport-Security"
    case te = "TE"
    case trailer = "Trailer"
    case transferEncoding = "Transfer-Encoding"
    case upgrade = "Upgrade"
    case upgradeInsecureRequests = "Upgrade-Insecure-Requests"
    case userAgent = "User-Agent"
    case vary = "Vary"
    case webviewSessionID = "Webview-Session-Id"
    case wwwAuthenticate = "WWW-Authenticate"
    case xContentTypeOptions = "X-Content-Type-Options"
    case xForwardedFor = "X-Forwarded-For"
    case xForwardedHost = "X-Forwarded-Host"
    case xForwardedProto = "X-Forwarded-Proto"
    case xFrameOptions = "X-Frame-Options"
    case xMoz = "X-Moz"
    case xPurpose = "X-Purpose"
    case xRequestID = "X-Request-Id"
    case xRequestedWith = "X-Requested-With"
    case xRobotsTag = "X-Robots-Tag"

    /// Whether the server writes this field itself, so that a handler's own is dropped.
    ///
    /// These describe the message and the connection; a second opinion on them is how responses get split.
    var belongsToServer: Bool {
        switch self {
        case .connection, .contentLength, .date, .keepAlive, .te, .trailer, .transferEncoding, .upgrade: true
        default: false
        }
    }
}

/// Finds a known name by its length and its first and last letter, then by comparison.
///
/// The tables lie inside the object, not in arrays of their own: a look-up counts no references.
final class KnownFieldIndex: Sendable {
    /// The index; made once.
    static let shared = KnownFieldIndex()

    private struct Candidate {
        var name = KnownFieldName.accept
        /// The number of the next candidate in the bucket plus one, or 0.
        var next: UInt8 = 0
        /// How many bytes the name has.
        var count: UInt8 = 0
        /// The name in lower case with zeros behind it, eight bytes to a word, the first in the lowest byte.
        var words: [5 of UInt64] = [0, 0, 0, 0, 0]
    }

    /// By a mixture of length, first and last letter; the number of the first candidate plus one, or 0.
    private let buckets: [2_048 of UInt8]
    private let candidates: [128 of Candidate]

    private init() {
        var buckets = [2_048 of UInt8](repeating: 0)
        var candidates = [128 of Candidate](repeating: Candidate())
        for (number, name) in KnownFieldName.allCases.enumerated() {
            let text = Array(name.rawValue.lowercased().utf8)
            precondition(number < candidates.count && text.count <= KnownFieldIndex.longest, "the tables have room")
            let bucket = KnownFieldIndex.bucket(text.span)
            candidates[number].name = name
            candidates[number].count = UInt8(text.count)
            candidates[number].next = buckets[bucket]
            for position in text.indices {
                candidates[number].words[position >> 3] |= UInt64(text[position]) << UInt64(8 * (position & 7))
            }
            buckets[bucket] = UInt8(number + 1)
        }
        self.buckets = buckets
        self.candidates = candidates
    }

    /// The name in the given spelling, or `nil` where it is none of the known ones.
    ///
    /// - Parameter name: A token of either case; the caller has checked that it is one.
    func find(_ name: Span<UInt8>) -> KnownFieldName? {
        guard name.count > 0, name.count <= KnownFieldIndex.longest else { return nil }
        var next = Int(buckets[KnownFieldIndex.bucket(name)])
        while next > 0 {
            if isEqual(name, candidate: next - 1) { return candidates[next - 1].name }
            next = Int(candidates[next - 1].next)
        }
        return nil
    }

    /// Setting the bit of lower case maps no token character but a letter to a letter.
    private func isEqual(_ name: Span<UInt8>, candidate: Int) -> Bool {
        // What follows compares as much as there is of the name, and a beginning of a name is another one.
        guard name.count == Int(candidates[candidate].count) else { return false }
        var start = 0
        while name.count - start >= 8 {
            let word = name.word(at: start) | 0x2020_2020_2020_2020
            guard word == candidates[candidate].words[start >> 3] else { return false }
            start += 8
        }
        var rest: UInt64 = 0
        for position in start..<name.count {
            rest |= UInt64(name[position] | 0x20) << UInt64(8 * (position - start))
        }
        return rest == 0 || rest == candidates[candidate].words[start >> 3]
    }

    private static let longest = 40

    private static func bucket(_ name: Span<UInt8>) -> Int {
        (name.count << 5 ^ Int(name[0] & 31) ^ Int(name[name.count - 1] & 31) << 6) & 2_047
    }
}
