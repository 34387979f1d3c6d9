import Primitives

/// A base address as somebody wrote it, with all that is wrong with it; `WebOrigin` is one with nothing wrong.
package struct BaseURL: Sendable {
    /// The setting that holds it; empty for none.
    package let setting: String
    /// As written.
    package let text: String
    /// In lower case.
    package let scheme: String
    /// As written; an address of version 6 with its brackets.
    package let host: String
    /// As written, without the colon.
    package let port: String?

    /// Takes a text apart; `nil` where there is no scheme.
    package init?(_ setting: String, _ text: String) {
        guard let mark = text.firstRange(of: "://") else { return nil }
        self.setting = setting
        self.text = text
        scheme = text[..<mark.lowerBound].lowercased()
        let authority = text[mark.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]").map(authority.index(after:)) : nil
        let colon = authority[(end ?? authority.startIndex)...].firstIndex(of: ":")
        host = String(authority[..<(colon ?? authority.endIndex)])
        port = colon.map { String(authority[authority.index(after: $0)...]) }
    }

    /// The host in the one spelling in which hosts can be compared.
    package var plainHost: String {
        var plain = host.lowercased()
        while plain.hasSuffix(".") { plain.removeLast() }
        return plain
    }

    /// This machine's own names.
    package var isLoopback: Bool {
        HTTPHost(plainHost)?.isLoopback == true
    }

    /// An address in place of a name.
    package var isAddress: Bool {
        plainHost.hasPrefix("[") || (!plainHost.isEmpty && plainHost.allSatisfy { $0.isNumber || $0 == "." })
    }

    /// The host under which an association file is looked for: names and addresses of this machine are one.
    package var identity: String {
        HTTPHost(plainHost)?.number?.isLoopback == true ? "localhost" : plainHost
    }

    /// The address without what is wrong about its spelling.
    package var origin: String { scheme + "://" + plainHost + (port.map { ":" + $0 } ?? "") }
}
