import AmazonPay
import EventIO
import Operations
import Primitives
import ServerCore

/// D40, D41: whether the provider knows the key, and what time it is there.
struct AccountChecks {
    let context: ProbeContext
    private var settings: ExaminedSettings { context.settings }

    func findings() async -> [Finding] {
        guard case .content? = settings.files["provider.private_key"] else { return [] }
        do throws(AmazonPayConfigurationError) {
            let credentials = try Credentials(CredentialSettings(settings))
            let api = settings.text("provider.api_url")
            let endpoint =
                try api.isEmpty
                ? AmazonPayEndpoint(credentials.region) : AmazonPayEndpoint(simulator: api, for: credentials)
            let exchange = context.exchange(settings.text("provider.ca_file"))
            let now = context.reactor.clock.now()
            let result = await AccountProbe.ask(credentials, at: endpoint, by: exchange, now: now)
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
                    remedy: "Let this machine reach it over https; without it no payment can be made."
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
                            ? "It answers \(words), but not in the provider's form for an unknown session."
                            : "It answers \(words) to a request that should get 404.",
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
                    "The provider refuses requests with the key id \(settings.text("provider.public_key_id")) "
                        + "and provider.private_key: \(words).",
                    remedy:
                        "Set provider.public_key_id to the id of this key pair, in the account and region of the settings."
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
