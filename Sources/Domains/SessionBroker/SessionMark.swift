import Primitives

/// Whose an object at the provider is, as the object itself says: the id of the session and the number of its order.
///
/// It stands beside the merchant's reference. That is a text of the merchant's: two orders may have the same, even of two shops
/// of one account, and it may look like the id of another session. So nothing is ever assigned by a reference.
package struct SessionMark: Sendable, Hashable, CustomStringConvertible {
    /// The session that the object was made for.
    package let webviewSession: WebviewSessionID
    /// The merchant's reference, where it is too long for the provider's own place for it; never empty.
    package let reference: String?

    /// A mark.
    package init(_ webviewSession: WebviewSessionID, reference: String? = nil) {
        self.webviewSession = webviewSession
        self.reference = reference.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// What is written: the id in lower case, a blank, the number; behind another blank the reference, if any.
    package var description: String {
        let mark = "\(webviewSession) \(OrderNumber(webviewSession))"
        return reference.map { "\(mark) \($0)" } ?? mark
    }

    /// Octets of id, blank and number.
    private static let length = 48

    /// A mark as it is written, or `nil` for any other text: id and number have to fit each other.
    ///
    /// Allocates nothing where no reference follows.
    package init?(_ text: String) {
        let octets = text.utf8Span.span
        let blank = UInt8(ascii: " ")
        guard octets.count == SessionMark.length || octets.count > SessionMark.length + 1 else { return nil }
        guard let id = SessionMark.id(octets), octets[36] == blank else { return nil }
        var index = 37
        for octet in OrderNumber(id).description.utf8 {
            guard octets[index] == octet else { return nil }
            index += 1
        }
        webviewSession = id
        guard octets.count > SessionMark.length else {
            reference = nil
            return
        }
        guard octets[SessionMark.length] == blank else { return nil }
        reference = String(Substring(text.utf8.dropFirst(SessionMark.length + 1)))
    }

    /// The session that an object names, or `nil` where it names none.
    ///
    /// The payload of a button has no mark, and the id in the place of the reference. Anything else there is somebody else's.
    ///
    /// - Parameters:
    ///   - information: What is written in the place of the mark.
    ///   - reference: What is written in the place of the reference.
    /// - Returns: An id, whether there is such a session or not.
    package static func session(information: String?, reference: String?) -> WebviewSessionID? {
        guard let information, !information.isEmpty else { return reference.flatMap { UUIDBytes($0) } }
        return SessionMark(information)?.webviewSession
    }

    /// The id at the beginning of a text that is long enough.
    private static func id(_ octets: Span<UInt8>) -> WebviewSessionID? {
        var (high, low): (UInt64, UInt64) = (0, 0)
        for index in 0..<36 {
            let octet = octets[index]
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard octet == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt64
            switch octet {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt64(octet - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = UInt64(octet - UInt8(ascii: "a") + 10)
            default: return nil
            }
            if index < 18 { high = high << 4 | digit } else { low = low << 4 | digit }
        }
        return WebviewSessionID(high: high, low: low)
    }
}
