/// Where the vendor's library for apps sends a buyer back to; all three are mandatory.
package struct MobileLinks: Sendable, Hashable {
    /// After the last page; gets the session's identifier, with which the server calls finalize.
    package var result: String
    /// After the buyer gave up.
    package var cancel: String
    /// After a failure.
    package var error: String

    /// Three links.
    ///
    /// - Parameters:
    ///   - result: https or a scheme of the app's own, at most 512 characters, no fragment.
    ///   - cancel: The same.
    ///   - error: The same.
    package init(result: String, cancel: String, error: String) {
        self.result = result
        self.cancel = cancel
        self.error = error
    }

    /// What would not bring a buyer back into the app; one sentence for each, empty where all is well.
    package var problems: [String] {
        [("result", result), ("cancel", cancel), ("error", error)].compactMap { name, link in
            MobileLinks.problem(link).map { "the \(name) link: \($0)" }
        }
    }

    private static func problem(_ link: String) -> String? {
        guard link.utf8.count <= 512 else { return "\(link.prefix(64))… is longer than 512 characters" }
        guard let end = link.utf8.firstIndex(of: UInt8(ascii: ":")) else { return "\(link) is not an absolute address" }
        let scheme = link[..<end].lowercased()
        if scheme == "http" || scheme == "https" { return ReturnAddress.problem(link) }
        let rest = link.utf8[end...].dropFirst()
        guard isScheme(scheme), !foreign.contains(scheme), !rest.isEmpty, rest.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return "\(link.prefix(64)) is no link into an app" }
        return link.utf8.contains(UInt8(ascii: "#")) ? "\(link) has a fragment" : nil
    }

    /// A letter, then letters, digits, `+`, `-` and `.`; RFC 3986 section 3.1.
    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, Characters.isAlphanumeric(first), !Characters.isDigit(first) else {
            return false
        }
        return text.utf8.allSatisfy { Characters.isAlphanumeric($0) || marks.contains($0) }
    }

    /// What a browser or the system keeps for itself.
    private static let foreign: Set = ["javascript", "vbscript", "data", "file", "blob", "about", "intent", "mailto"]

    private static let marks = Array("+-.".utf8)
}
