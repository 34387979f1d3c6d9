import Operations
import ServerCore

/// D01, D02, D03, D19: the two hosts, and who stands before them.
enum HostChecks {
    static func findings(_ settings: ExaminedSettings) -> [Finding] {
        sameHost(settings) + settings.hosts.flatMap { names($0) + scheme($0) } + proxies(settings)
    }

    private static func sameHost(_ settings: ExaminedSettings) -> [Finding] {
        guard let web = settings.web, let link = settings.link, web.identity == link.identity else { return [] }
        return [
            Finding(
                "D01",
                .error,
                "link.base_url",
                "The host \(link.host) is the host of web.base_url too, and a link on the host of its own page never opens the app.",
                remedy: "Give the links a host of their own, such as pay-links.example.com beside pay.example.com."
            )
        ]
    }

    private static func names(_ base: BaseURL) -> [Finding] {
        var found: [Finding] = []
        func add(_ severity: Severity, _ message: String, _ remedy: String) {
            found.append(Finding("D02", severity, base.setting, message, remedy: remedy))
        }
        let mild: Severity = base.isLoopback ? .warning : .error
        if base.isAddress {
            add(mild, "\(base.host) is an IP address.", "Give a name: certificates, cookies and apps need a host name.")
        } else if !base.isLoopback, PublicSuffix.isOne(base.plainHost) {
            add(
                .error,
                "\(base.host) is a public suffix, not a host.",
                "Give a name below a domain that you have registered."
            )
        }
        if base.setting == "link.base_url", let port = base.port, port != "443" {
            add(
                mild,
                "It names the port \(port).",
                "Serve the links on 443: phones look for the association files there only."
            )
        }
        if base.host != base.host.lowercased() {
            add(.error, "\(base.host) has capitals.", "Write \(base.plainHost): apps compare letter by letter.")
        }
        if base.host.hasSuffix(".") {
            add(.error, "\(base.host) ends with a dot.", "Write \(base.plainHost): apps compare letter by letter.")
        }
        return found
    }

    private static func scheme(_ base: BaseURL) -> [Finding] {
        guard base.scheme != "https" else { return [] }
        return [
            Finding(
                "D03",
                base.isLoopback && base.scheme == "http" ? .warning : .error,
                base.setting,
                "\(base.text) is not https.",
                remedy:
                    "Write https://\(base.plainHost), with a certificate or a TLS balancer: tokens travel in these addresses."
            )
        ]
    }

    private static func proxies(_ settings: ExaminedSettings) -> [Finding] {
        settings.list("trusted_proxies").filter(believesStrangers).map { entry in
            Finding(
                "D19",
                .error,
                "trusted_proxies",
                "\(entry) accepts X-Forwarded-For from every client: attackers could choose the address that limits count.",
                remedy: "List the addresses of your own balancers."
            )
        }
    }

    /// A wildcard, or a network so wide that it is as good as one.
    private static func believesStrangers(_ entry: String) -> Bool {
        guard entry != "*" else { return true }
        let parts = entry.split(separator: "/")
        guard parts.count == 2, let length = Int(parts[1]) else { return false }
        guard parts[0].contains(":") else { return length < 8 }
        return length < 16 && !isPrivate(parts[0], length)
    }

    /// Networks of version 6 without public addresses: RFC 4193, and RFC 4291 section 2.5.6.
    private static func isPrivate(_ address: Substring, _ length: Int) -> Bool {
        let group = UInt16(address.prefix { $0 != ":" }, radix: 16) ?? 0
        return (length >= 7 && group & 0xFE00 == 0xFC00) || (length >= 10 && group & 0xFFC0 == 0xFE80)
    }
}

/// Names under which anybody may register a name: no cookie and no association can be held by one.
private enum PublicSuffix {
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
