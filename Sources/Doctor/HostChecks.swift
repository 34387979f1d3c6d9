import AmazonPay
import Operations

/// D01, D02, D03, D15, D17, D19: the two hosts, and who stands before them.
enum HostChecks {
    static func findings(_ facts: SettingFacts) -> [Finding] {
        let bases = [facts.web, facts.link].compactMap(\.self)
        var found = sameHost(facts)
        for base in bases { found += names(base) + scheme(base) }
        return found + cookies(facts, bases) + returns(facts) + proxies(facts)
    }

    private static func sameHost(_ facts: SettingFacts) -> [Finding] {
        guard let web = facts.web, let link = facts.link, web.identity == link.identity else { return [] }
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
            add(mild, "\(base.host) is an address.", "Give a name: certificates, cookies and apps go by names.")
        } else if !base.isLoopback, PublicSuffix.isOne(base.plainHost) {
            add(
                .error,
                "\(base.host) is no name of a host of yours.",
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

    private static func cookies(_ facts: SettingFacts, _ bases: [BaseURL]) -> [Finding] {
        guard facts.text("cookies.names") == "host" else { return [] }
        return bases.filter { $0.scheme != "https" && !$0.isLoopback }.map { base in
            Finding(
                "D15",
                .error,
                "cookies.names",
                "Cookies are called __Host-…, which browsers take over https only, and \(base.setting) is \(base.text).",
                remedy: "Make \(base.setting) an https address."
            )
        }
    }

    private static func returns(_ facts: SettingFacts) -> [Finding] {
        guard let web = facts.web else { return [] }
        let addresses = facts.returnPaths.map { web.origin + $0 }
        var found: [Finding] = []
        for address in addresses {
            guard let problem = ReturnAddress.problem(address) else { continue }
            found.append(
                Finding(
                    "D17",
                    .error,
                    "web.base_url",
                    "Amazon would not send buyers back: \(problem).",
                    remedy: "Make web.base_url the https address of the pages."
                )
            )
        }
        if web.isLoopback, PublicKeyID(facts.text("provider.public_key_id"))?.environment == .live {
            found.append(
                Finding(
                    "D17",
                    .error,
                    "web.base_url",
                    "\(web.host) is this machine only, and the key id is a live one: buyers could not come back.",
                    remedy: "Make web.base_url the public address of the pages, or use a SANDBOX- key id."
                )
            )
        }
        if found.isEmpty, facts.isRealProvider, let review = addresses.first {
            found.append(
                Finding(
                    "D17",
                    .note,
                    "web.base_url",
                    "Buyers come back to \(review); whether Amazon knows the domain cannot be seen from here.",
                    remedy: "Register \(web.origin) with the merchant account, exactly so."
                )
            )
        }
        return found
    }

    private static func proxies(_ facts: SettingFacts) -> [Finding] {
        facts.list("trusted_proxies").filter(believesStrangers).map { entry in
            Finding(
                "D19",
                .error,
                "trusted_proxies",
                "\(entry) believes everybody's X-Forwarded-For: limits by address would count what attackers write.",
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
