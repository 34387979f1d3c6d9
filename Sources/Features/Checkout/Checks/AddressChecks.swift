import AmazonPay
import Operations
import ServerCore

/// D15, D17: what cookies and the provider ask of the two hosts.
enum AddressChecks {
    static func findings(_ settings: ExaminedSettings) -> [Finding] {
        cookies(settings) + returns(settings)
    }

    private static func cookies(_ settings: ExaminedSettings) -> [Finding] {
        guard settings.text("cookies.names") == "host" else { return [] }
        return settings.hosts.filter { $0.scheme != "https" && !$0.isLoopback }.map { base in
            Finding(
                "D15",
                .error,
                "cookies.names",
                "The names of the cookies begin with __Host-, which browsers accept over https only, but \(base.setting) is \(base.text).",
                remedy: "Make \(base.setting) an https address."
            )
        }
    }

    private static func returns(_ settings: ExaminedSettings) -> [Finding] {
        guard let web = settings.web else { return [] }
        let addresses = ProviderSetup.returnPaths.map { web.origin + $0 }
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
        if web.isLoopback, PublicKeyID(settings.text("provider.public_key_id"))?.environment == .live {
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
        if found.isEmpty, settings.isRealProvider, let review = addresses.first {
            found.append(
                Finding(
                    "D17",
                    .note,
                    "web.base_url",
                    "Buyers come back to \(review); this check cannot find out whether Amazon knows the domain.",
                    remedy: "Register exactly this origin with the merchant account: \(web.origin)."
                )
            )
        }
        return found
    }
}
