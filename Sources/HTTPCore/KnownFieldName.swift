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
    case xContentTypeOptions = "X-Content-Type-Options"
    case xFlowID = "X-Flow-Id"
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

    /// The name in the given spelling, or `nil` where it is not one of these.
    ///
    /// - Parameter name: A token of either case; the caller has checked that it is one.
    /// - Returns: The known name.
    static func recognise(_ name: Span<UInt8>) -> KnownFieldName? {
        index.find(name)
    }

    private static let index = KnownFieldIndex()
}

/// Finds a known name by its length and first byte, then by comparison.
private struct KnownFieldIndex {
    private struct Candidate {
        let name: KnownFieldName
        let text: [UInt8]
        /// The next candidate of the same bucket, or -1.
        let next: Int16
    }

    /// 64 lengths times 32 first letters; the number of the first candidate, or -1.
    private var buckets: [Int16]
    private var candidates: [Candidate] = []

    init() {
        buckets = [Int16](repeating: -1, count: 64 * 32)
        for name in KnownFieldName.allCases {
            let text = Array(name.rawValue.lowercased().utf8)
            let bucket = KnownFieldIndex.bucket(count: text.count, first: text.first ?? 0)
            candidates.append(Candidate(name: name, text: text, next: buckets[bucket]))
            buckets[bucket] = Int16(candidates.count - 1)
        }
    }

    func find(_ name: Span<UInt8>) -> KnownFieldName? {
        guard name.count > 0, name.count < 64 else { return nil }
        var next = buckets[KnownFieldIndex.bucket(count: name.count, first: name[0])]
        while next >= 0 {
            let position = Int(next)
            if isEqual(name, candidates[position].text) { return candidates[position].name }
            next = candidates[position].next
        }
        return nil
    }

    /// Setting the bit of lower case maps no token character but a letter to a letter.
    private func isEqual(_ name: Span<UInt8>, _ text: [UInt8]) -> Bool {
        guard name.count == text.count else { return false }
        for position in name.indices where name[position] | 0x20 != text[position] { return false }
        return true
    }

    private static func bucket(count: Int, first: UInt8) -> Int {
        (count & 63) << 5 | Int(first & 31)
    }
}
