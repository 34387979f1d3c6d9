/// A cookie as a browser keeps it.
package struct StoredCookie: Sendable, Equatable {
    /// Case counts.
    package let name: String
    /// As it was set.
    package let value: String
    /// The attributes as they came, without name and value.
    package let attributes: String

    var isStrict: Bool { attributes.contains("SameSite=Strict") }
    var isLax: Bool { attributes.contains("SameSite=Lax") }
}

/// The cookies of one browser: host-only ones, which is what `__Host-` stands for.
struct CookieJar: Sendable {
    private(set) var cookies: [String: [StoredCookie]] = [:]

    /// Takes a Set-Cookie field over, as a browser would.
    mutating func store(_ line: String, from url: URLParts) {
        let parts = line.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
        let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2 else { return }
        let attributes = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        let cookie = StoredCookie(name: String(pair[0]), value: String(pair[1]), attributes: attributes)
        guard CookieJar.isAcceptable(cookie, from: url) else { return }
        var list = cookies[url.host] ?? []
        list.removeAll { $0.name == cookie.name }
        if !attributes.contains("Max-Age=0") { list.append(cookie) }
        cookies[url.host] = list
    }

    /// Puts a cookie in as an attacker or another program might.
    mutating func plant(_ cookie: StoredCookie, on host: String) {
        cookies[host, default: []].append(cookie)
    }

    mutating func removeAll() {
        cookies = [:]
    }

    /// The Cookie field of a request, or `nil`.
    ///
    /// - Parameters:
    ///   - isCrossSite: Whether another site caused it.
    ///   - isSafe: A top-level GET, with which `Lax` goes out too.
    func field(for url: URLParts, isCrossSite: Bool, isSafe: Bool) -> String? {
        let chosen = (cookies[url.host] ?? []).filter { cookie in
            !isCrossSite || (isSafe ? !cookie.isStrict : !cookie.isStrict && !cookie.isLax)
        }
        return chosen.isEmpty ? nil : chosen.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    private static func isAcceptable(_ cookie: StoredCookie, from url: URLParts) -> Bool {
        let isTrustworthy = url.origin.hasPrefix("https:") || url.host.hasSuffix("localhost") || url.host == "127.0.0.1"
        let isSecure = cookie.attributes.contains("Secure")
        if isSecure, !isTrustworthy { return false }
        guard cookie.name.hasPrefix("__Host-") else { return true }
        return isSecure && cookie.attributes.contains("Path=/") && !cookie.attributes.contains("Domain")
    }
}
