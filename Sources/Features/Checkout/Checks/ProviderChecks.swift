import AmazonPay
import Operations
import Primitives
import ServerCore

/// D30 to D37: the account at Amazon Pay, and where Amazon is.
enum ProviderChecks {
    static func findings(_ settings: ExaminedSettings) -> [Finding] {
        let addresses = environment(settings) + region(settings) + simulator(settings)
        return account(settings) + keyFile(settings) + addresses + trust(settings) + texts(settings)
    }

    // MARK: The account

    private static func account(_ settings: ExaminedSettings) -> [Finding] {
        var found: [Finding] = []
        for (setting, place) in [
            ("provider.merchant_id", "the merchant id at the top of Seller Central's Integration Central"),
            ("provider.store_id", "the store id, amzn1.application-oa2-client.…, in Integration Central"),
            ("provider.public_key_id", "the public key id, SANDBOX-… or LIVE-…, in Integration Central"),
            ("provider.private_key", "the PEM file with the private key of the pair"),
        ] where settings.text(setting).isEmpty && settings.files[setting] == nil {
            found.append(Finding("D30", .error, setting, "It is not set.", remedy: "Give \(place)."))
        }
        return found + malformed(settings)
    }

    /// What the signing code itself says of the account, by setting.
    private static func malformed(_ settings: ExaminedSettings) -> [Finding] {
        do throws(AmazonPayConfigurationError) {
            _ = try Credentials(CredentialSettings(settings))
            return []
        } catch {
            let found = findings(for: error, settings)
            // Without a key there is none to look at.
            guard case .content? = settings.files["provider.private_key"] else {
                return found.filter { $0.subject != "provider.private_key" }
            }
            return found
        }
    }

    private static func findings(for error: AmazonPayConfigurationError, _ settings: ExaminedSettings) -> [Finding] {
        error.problems.compactMap { problem in
            let setting = owners.first { problem.hasPrefix($0.start) }?.setting ?? "provider"
            // What is not set at all has been reported.
            guard !settings.text(setting).isEmpty || setting == "provider" else { return nil }
            let isKey = setting == "provider.private_key"
            let remedy = remedies[setting] ?? "Copy it from Integration Central, without blanks."
            let message = (isKey ? foreignKey(settings) : nil) ?? Finding.sentence(problem)
            return Finding(isKey ? "D31" : "D30", .error, setting, message, remedy: remedy)
        }
    }

    private static let owners: [(start: String, setting: String)] = [
        ("the merchant id", "provider.merchant_id"), ("the store id", "provider.store_id"),
        ("the public key id", "provider.public_key_id"), ("a key id", "provider.public_key_id"),
        ("the environment", "provider.public_key_id"), ("the signing algorithm", "provider.algorithm"),
        ("the region", "provider.region"), ("the private key", "provider.private_key"),
    ]

    private static let remedies: [String: String] = [
        "provider.merchant_id":
            "It begins with A, then 10 to 20 capital letters and digits: copy it from Integration Central.",
        "provider.store_id":
            "It is amzn1.application-oa2-client. and 32 hexadecimal digits: copy it from Integration Central.",
        "provider.public_key_id":
            "Use a key whose id begins with SANDBOX- or LIVE-: create a new pair in Integration Central.",
        "provider.private_key":
            "Name the unencrypted PEM file of the RSA private key that Integration Central gave you.",
        "provider.region": "Set it to jp: orders are in yen, and accounts of other regions are refused.",
    ]

    // MARK: The key

    private static func keyFile(_ settings: ExaminedSettings) -> [Finding] {
        let setting = "provider.private_key"
        switch settings.files[setting] {
        case .unreadable(let why)?:
            return [
                Finding(
                    "D31",
                    .error,
                    setting,
                    "\(settings.text(setting)) cannot be read: \(why).",
                    remedy: "Name a PEM file that the program's user may read, and nobody else."
                )
            ]
        case .written?: return [.written("D31", setting)]
        // The reader of keys has looked at it.
        case .content?, nil: return []
        }
    }

    /// What a file is whose key was refused, where it is something else; other things may stand beside a key that is read.
    private static func foreignKey(_ settings: ExaminedSettings) -> String? {
        guard case .content(let content)? = settings.files["provider.private_key"] else { return nil }
        let text = String(decoding: content.reveal(), as: UTF8.self)
        if let kind = otherKeys.first(where: { text.contains($0.mark) })?.kind { return "The file holds \(kind)." }
        guard !text.contains("PRIVATE KEY") else { return nil }
        return noKeys.first { text.contains($0.mark) }.map { "The file holds \($0.kind)." }
    }

    private static let otherKeys: [(mark: String, kind: String)] = [
        ("ENCRYPTED", "a key that is protected by a passphrase"),
        ("BEGIN EC PRIVATE KEY", "a key on an elliptic curve, and Amazon Pay takes RSA only"),
        ("BEGIN OPENSSH PRIVATE KEY", "a key in the form of ssh"),
    ]

    private static let noKeys: [(mark: String, kind: String)] = [
        ("BEGIN PUBLIC KEY", "a public key, which Amazon has and which cannot sign"),
        ("BEGIN CERTIFICATE", "a certificate"),
    ]

    // MARK: Where Amazon is

    private static func environment(_ settings: ExaminedSettings) -> [Finding] {
        let isLive = PublicKeyID(settings.text("provider.public_key_id"))?.environment == .live
        guard isLive else { return [] }
        return ["provider.api_url", "provider.script_url", "provider.start_url"].compactMap { setting in
            let text = settings.text(setting)
            guard !text.isEmpty, !isAmazons(text) else { return nil }
            return Finding(
                "D32",
                .error,
                setting,
                "\(text) is a simulator, and the key id is a live one: real buyers would be sent to it.",
                remedy: "Empty \(setting) to use Amazon's own address, or use a SANDBOX- key id."
            )
        }
    }

    private static func isAmazons(_ text: String) -> Bool {
        let host = BaseURL("", text)?.plainHost ?? ""
        return AmazonPayRegion.allCases.contains { $0.apiHost == host || $0.scriptOrigin == "https://" + host }
    }

    private static func region(_ settings: ExaminedSettings) -> [Finding] {
        guard let region = AmazonPayRegion(named: settings.text("provider.region")) else { return [] }
        var found: [Finding] = []
        if let api = BaseURL("", settings.text("provider.api_url")), isAmazons(api.text) {
            found.append(
                Finding(
                    "D33",
                    .error,
                    "provider.api_url",
                    "\(api.plainHost) is Amazon's own host, which the program would take for a simulator, without limits on calls.",
                    remedy: "Empty provider.api_url: the region names the host."
                )
            )
        }
        for other in AmazonPayRegion.allCases where other != region {
            let script = BaseURL("", settings.text("provider.script_url"))
            if let script, "https://" + script.plainHost == other.scriptOrigin {
                found.append(
                    Finding(
                        "D33",
                        .error,
                        "provider.script_url",
                        "\(script.plainHost) belongs to the region \(other.label), and provider.region is \(region.label).",
                        remedy: "Empty provider.script_url: the region names the script."
                    )
                )
            }
            let hosts = settings.list("provider.redirect_hosts")
            if !hosts.isEmpty, hosts.allSatisfy(other.hostedPageHosts.contains) {
                found.append(
                    Finding(
                        "D33",
                        .error,
                        "provider.redirect_hosts",
                        "All of them belong to the region \(other.label), and provider.region is \(region.label).",
                        remedy: "Empty provider.redirect_hosts: the region names the hosts."
                    )
                )
            }
        }
        return found
    }

    private static func simulator(_ settings: ExaminedSettings) -> [Finding] {
        let isSimulated = !settings.isRealProvider
        let names = ["provider.script_url", "provider.start_url"]
        let missing = names.filter { settings.text($0).isEmpty }
        if isSimulated {
            guard missing.count == names.count else { return [] }
            return [
                Finding(
                    "D34",
                    .error,
                    "provider.api_url",
                    "It names a simulator, and the button would load Amazon's own script, which does not use the simulator.",
                    remedy: "Set provider.script_url or provider.start_url to the simulator too."
                )
            ]
        }
        return names.filter { !settings.text($0).isEmpty && !isAmazons(settings.text($0)) }.map { setting in
            Finding(
                "D34",
                .error,
                setting,
                "It names \(settings.text(setting)), and the API is Amazon's own: sessions would not be found.",
                remedy: "Empty \(setting), or set provider.api_url to the simulator too."
            )
        }
    }

    private static func trust(_ settings: ExaminedSettings) -> [Finding] {
        let setting = "provider.ca_file"
        if case .written? = settings.files[setting] { return [.written("D35", setting)] }
        guard !settings.text(setting).isEmpty else { return [] }
        if case .unreadable(let why)? = settings.files[setting] {
            return [
                Finding(
                    "D35",
                    .error,
                    setting,
                    "\(settings.text(setting)) cannot be read: \(why).",
                    remedy: "Name the simulator's authority, development/authority.pem in its data directory."
                )
            ]
        }
        guard settings.isRealProvider else { return [] }
        return [
            Finding(
                "D35",
                .error,
                setting,
                "Only the authority in this file is trusted, so no call to Amazon would succeed.",
                remedy: "Empty provider.ca_file: the machine's own authorities are used then."
            )
        ]
    }

    // MARK: Texts and lists

    private static func texts(_ settings: ExaminedSettings) -> [Finding] {
        var found: [Finding] = []
        for problem in MerchantMetadata(merchantStoreName: settings.text("provider.store_name")).problems {
            found.append(
                Finding(
                    "D36",
                    .error,
                    "provider.store_name",
                    "Amazon would refuse it: \(problem).",
                    remedy: "Shorten it."
                )
            )
        }
        if settings.text("provider.algorithm") == SigningAlgorithm.pss.label {
            found.append(
                Finding(
                    "D36",
                    .warning,
                    "provider.algorithm",
                    "\(SigningAlgorithm.pss.label) is the older label.",
                    remedy: "Use \(SigningAlgorithm.pssV2.label)."
                )
            )
        }
        return found + redirects(settings)
    }

    private static func redirects(_ settings: ExaminedSettings) -> [Finding] {
        let hosts = settings.list("provider.redirect_hosts")
        guard !hosts.isEmpty else { return [] }
        do throws(AmazonPayConfigurationError) {
            _ = try RedirectPolicy(hosts: hosts)
        } catch {
            return error.problems.map { problem in
                Finding(
                    "D37",
                    .error,
                    "provider.redirect_hosts",
                    Finding.sentence(problem),
                    remedy: "List names in lower case, without https:// and without a path."
                )
            }
        }
        let known = AmazonPayRegion.allCases.flatMap(\.hostedPageHosts)
        let foreign = settings.isRealProvider ? hosts.filter { !known.contains($0) && !isBelowAmazon($0) } : []
        return foreign.map { host in
            Finding(
                "D37",
                .error,
                "provider.redirect_hosts",
                "Buyers could be sent to \(host), which is not Amazon's.",
                remedy: "List only hosts of Amazon's own pages."
            )
        }
    }

    /// The vendor lists its hosts nowhere; these are its domains in the three regions.
    private static func isBelowAmazon(_ host: String) -> Bool {
        ["amazon.com", "amazon.co.jp", "amazon.co.uk", "amazon.de", "amazon.fr", "amazon.it", "amazon.es"]
            .contains { host.hasSuffix("." + $0) }
    }
}

extension CredentialSettings {
    /// The account as it is set, with the key where its file can be read.
    init(_ settings: ExaminedSettings) {
        self.init()
        merchantID = settings.text("provider.merchant_id")
        storeID = settings.text("provider.store_id")
        publicKeyID = settings.text("provider.public_key_id")
        algorithm = settings.text("provider.algorithm")
        region = settings.text("provider.region")
        if case .content(let pem)? = settings.files["provider.private_key"] { privateKeyPEM = pem }
    }
}

extension ExaminedSettings {
    /// Whether Amazon's own service is used.
    var isRealProvider: Bool { text("provider.api_url").isEmpty }
}
