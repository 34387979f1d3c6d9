import AmazonPay
import HTTPCore
import Operations
import Primitives

// D22, D24, D25: what the two hosts serve to the public. D40, D41: the account at the provider.

extension OnlineChecks {
    /// D22 and D24: what the web host must not answer.
    func exposure(of web: BaseURL) async -> [Finding] {
        var found: [Finding] = []
        for path in ["/.well-known/apple-app-site-association", "/.well-known/assetlinks.json"] {
            guard case .response(let answer) = await ask("GET", web.origin + path), answer.status != 404 else {
                continue
            }
            found.append(
                Finding(
                    "D22",
                    .error,
                    web.origin + path,
                    "The web host answers \(answer.status), so that its pages could open the app.",
                    remedy: "Let only the link host serve association files."
                )
            )
        }
        if case .response(let answer) = await ask("GET", web.origin + "/", [("Host", "unknown.invalid")]),
            answer.status != 421
        {
            found.append(
                Finding(
                    "D24",
                    .error,
                    web.setting,
                    "A request for an unknown host is answered with \(answer.status), not with 421.",
                    remedy: "Let the balancer hand on the Host field as it came."
                )
            )
        }
        return found
    }

    /// D25: the fields that protect pages, on one page of each kind.
    func headers() async -> [Finding] {
        var found: [Finding] = []
        for page in facts.pages {
            guard let base = page.isLink ? facts.link : facts.web,
                case .response(let answer) = await ask("GET", base.origin + page.path)
            else { continue }
            found += FieldComparison.complaints(answer, expected: page.fields).map { what in
                Finding(
                    "D25",
                    .error,
                    base.origin + page.path,
                    what,
                    remedy: "Let no balancer remove or replace the fields of answers."
                )
            }
        }
        return found
    }

    // MARK: The account

    /// D40 and D41: whether the provider knows the key, and what time it is there.
    func account() async -> [Finding] {
        guard case .content(let pem)? = facts.files["provider.private_key"] else { return [] }
        var settings = CredentialSettings()
        settings.merchantID = facts.text("provider.merchant_id")
        settings.storeID = facts.text("provider.store_id")
        settings.publicKeyID = facts.text("provider.public_key_id")
        settings.algorithm = facts.text("provider.algorithm")
        settings.region = facts.text("provider.region")
        settings.privateKeyPEM = pem
        do throws(AmazonPayConfigurationError) {
            let credentials = try Credentials(settings)
            let api = facts.text("provider.api_url")
            let endpoint =
                try api.isEmpty
                ? AmazonPayEndpoint(credentials.region) : AmazonPayEndpoint(simulator: api, for: credentials)
            let result = await AccountProbe.ask(credentials, at: endpoint, by: ways.provider, now: clock.now())
            return refusal(result.outcome, endpoint.origin) + clock(result.aheadSeconds, endpoint.origin)
        } catch {
            // The checks without a network have reported what is wrong with the settings.
            return []
        }
    }

    private func refusal(_ outcome: AccountProbe.Outcome, _ origin: String) -> [Finding] {
        switch outcome {
        case .known: return []
        case .failed(let why):
            return [
                Finding(
                    "D40",
                    .error,
                    origin,
                    "It does not answer: \(why).",
                    remedy: "Let this machine reach it over https; the program can take no payment so."
                )
            ]
        case .refused(let status, let reason):
            let words = "\(status)" + (reason.map { " \($0)" } ?? "")
            guard status == 401 || status == 403 else {
                return [
                    Finding(
                        "D40",
                        status == 429 || status >= 500 ? .warning : .error,
                        origin,
                        status == 404
                            ? "It answers \(words), but not as the provider does where a session is not found."
                            : "It answers \(words) to a question that should get 404.",
                        remedy:
                            "Look the reason up in the provider's list of errors; `sallyport explain-signature` helps with signatures."
                    )
                ]
            }
            return [
                Finding(
                    "D40",
                    .error,
                    "provider.public_key_id",
                    "The provider does not believe \(facts.text("provider.public_key_id")) with provider.private_key: \(words).",
                    remedy: "Give the id of exactly this key pair, of the account and region that are set."
                )
            ]
        }
    }

    private func clock(_ ahead: Int64?, _ origin: String) -> [Finding] {
        guard let ahead, ahead.magnitude > 30 else { return [] }
        return [
            Finding(
                "D41",
                ahead > 0 ? .error : .warning,
                origin,
                "This machine's clock is \(ahead.magnitude) s \(ahead > 0 ? "ahead of" : "behind") the provider's.",
                remedy: "Run a time service: the provider refuses dates that lie in the future."
            )
        ]
    }
}
