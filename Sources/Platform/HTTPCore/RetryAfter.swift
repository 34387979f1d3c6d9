package import Primitives

/// The pause that a server asks for: the field `Retry-After` in both of its forms, RFC 9110 section 10.2.3.
package enum RetryAfter {
    /// A day: nobody is believed who asks for more.
    package static let longest = Duration.seconds(86_400)

    /// The pause that an answer asks for; `nil` without one that can be read.
    ///
    /// - Parameter time: Of our clock; counts only for a date in an answer that does not say the server's own time.
    /// - Returns: Zero to a day.
    package static func pause(in response: InboundResponse, at time: WallTime) -> Duration? {
        guard let text = response.first("retry-after") else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return min(.seconds(Int(Substring(text.utf8.prefix(9))) ?? 0), longest)
        }
        guard let then = HTTPDate.time(of: text) else { return nil }
        let sent = response.first("date").flatMap(HTTPDate.time) ?? time
        return min(.seconds(max(0, then.seconds - sent.seconds)), longest)
    }
}
