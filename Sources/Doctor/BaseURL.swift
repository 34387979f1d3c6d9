import Primitives

/// A base address as somebody wrote it, with all that is wrong with it.
struct BaseURL {
    let setting: String
    let text: String
    let scheme: String
    /// As written; an address of version 6 with its brackets.
    let host: String
    /// As written, without the colon.
    let port: String?

    /// Takes a text apart; `nil` where there is no scheme.
    init?(_ setting: String, _ text: String) {
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
    var plainHost: String {
        var plain = host.lowercased()
        while plain.hasSuffix(".") { plain.removeLast() }
        return plain
    }

    /// This machine's own names.
    var isLoopback: Bool {
        HTTPHost(plainHost)?.isLoopback == true
    }

    /// An address in place of a name.
    var isAddress: Bool {
        plainHost.hasPrefix("[") || (!plainHost.isEmpty && plainHost.allSatisfy { $0.isNumber || $0 == "." })
    }

    /// The host under which an association file is looked for: names and addresses of this machine are one.
    var identity: String {
        HTTPHost(plainHost)?.number?.isLoopback == true ? "localhost" : plainHost
    }

    /// The address without what is wrong about its spelling.
    var origin: String { scheme + "://" + plainHost + (port.map { ":" + $0 } ?? "") }
}

/// Names under which anybody may register a name: no cookie and no association can be held by one.
enum PublicSuffix {
    /// Whether a host is one, as far as is known here: every single label, and the usual ones with two.
    static func isOne(_ host: String) -> Bool {
        guard host.contains(".") else { return true }
        return known.contains(host)
    }

    private static let known: Set<String> = {
        let countries: [(String, String)] = [
            ("jp", "ac ad co ed go gr lg ne or"), ("uk", "ac co gov ltd me net org plc sch"),
            ("au", "asn com edu gov id net org"), ("nz", "ac co geek gen govt net org school"),
            ("br", "com gov net org"), ("kr", "co go ne or re"), ("in", "co firm gen ind net org"),
            ("za", "co gov net org web"), ("cn", "com edu gov net org"), ("tw", "com edu gov net org"),
        ]
        let shared = [
            "github.io", "gitlab.io", "herokuapp.com", "cloudfront.net", "azurewebsites.net", "web.app",
            "firebaseapp.com", "netlify.app", "vercel.app", "pages.dev", "workers.dev", "appspot.com", "onrender.com",
            "fly.dev",
        ]
        let national = countries.flatMap { country, names in
            names.split(separator: " ").map { "\($0).\(country)" }
        }
        return Set(shared + national)
    }()
}
