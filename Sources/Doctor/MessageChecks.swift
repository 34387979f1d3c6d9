import AmazonPay
import Notifications
import Operations
import Primitives

/// D42 to D44: notifications of the provider, webhooks to merchants, and callbacks to them.
enum MessageChecks {
    static func findings(_ facts: SettingFacts) -> [Finding] {
        facts.list("notifications.topic_arn").flatMap { topic($0, facts) } + certificateHosts(facts) + secret(facts)
            + postage(facts)
    }

    // MARK: Notifications

    private static let topicSetting = "notifications.topic_arn"

    private static func topic(_ text: String, _ facts: SettingFacts) -> [Finding] {
        guard let arn = TopicARN(text), arn.isWellFormed else {
            return [
                Finding(
                    "D42",
                    .error,
                    topicSetting,
                    "\(text) is no topic, so every message would be refused.",
                    remedy: "Copy it from the provider's console: arn:aws:sns:REGION:ACCOUNT OF TWELVE DIGITS:NAME."
                )
            ]
        }
        guard facts.isRealProvider, let own = AmazonPayRegion(named: facts.text("provider.region")),
            let other = senders[arn.region], other != own
        else { return [] }
        return [
            Finding(
                "D42",
                .warning,
                topicSetting,
                "\(arn.region) is where Amazon Pay's region \(other.label) sends from, and provider.region is \(own.label).",
                remedy: "Copy the topic of this account from its own console; messages of any other topic are refused."
            )
        ]
    }

    /// Seen in messages of each region; the vendor writes it down nowhere, and other places may come.
    private static let senders: [String: AmazonPayRegion] = [
        "us-east-1": .northAmerica, "eu-west-1": .europe, "us-west-2": .japan,
    ]

    private static func certificateHosts(_ facts: SettingFacts) -> [Finding] {
        let setting = "notifications.certificate_hosts"
        let isLive = PublicKeyID(facts.text("provider.public_key_id"))?.environment == .live
        guard !facts.text(setting).isEmpty, isLive || facts.isRealProvider else { return [] }
        let why = isLive ? "the key id is a live one" : "the provider is Amazon itself"
        return [
            Finding(
                "D42",
                .error,
                setting,
                "\(facts.text(setting)) could sign messages in Amazon's name, and \(why).",
                remedy: "Empty \(setting): it is for simulators."
            )
        ]
    }

    // MARK: Webhooks

    private static let leastSecret = 32

    private static func secret(_ facts: SettingFacts) -> [Finding] {
        let setting = "merchant.secret_file"
        switch facts.files[setting] {
        case .content(let content)?:
            let count = content.reveal().count
            guard count < leastSecret else { return [] }
            return [
                finding(
                    .error,
                    "\(facts.text(setting)) has \(count) bytes, and \(leastSecret) are the least.",
                    "Make one by `umask 077; openssl rand -out FILE 32` before the first webhook is added, the same for all processes."
                )
            ]
        case .unreadable(let why)?:
            return [
                finding(
                    .error,
                    "\(facts.text(setting)) cannot be read: \(why).",
                    "Name a file that the program's user may read, and nobody else."
                )
            ]
        case .written?: return [.written("D43", setting)]
        case nil:
            // A version without webhooks has no such setting.
            guard facts.texts[setting] != nil, facts.text("merchant.api") == "true" else { return [] }
            return [
                finding(
                    .warning,
                    "It is not set, so merchants cannot be told of events by webhooks.",
                    "Name a file of \(leastSecret) random bytes that all processes share; no webhook is added without it."
                )
            ]
        }
    }

    // MARK: Postage

    private static func postage(_ facts: SettingFacts) -> [Finding] {
        let setting = "merchant.postage_origins"
        guard !facts.list(setting).isEmpty else { return [] }
        if facts.files["merchant.secret_file"] == nil {
            return [
                Finding(
                    "D44",
                    .error,
                    setting,
                    "Questions for the postage are signed under merchant.secret_file, which is not set.",
                    remedy: "Name a file of \(leastSecret) random bytes that all processes share."
                )
            ]
        }
        guard facts.text("merchant.api") != "true" else { return [] }
        return [
            Finding(
                "D44",
                .warning,
                setting,
                "Only orders that merchants' programs open are asked about, and merchant.api is off.",
                remedy: "Switch merchant.api on, or empty \(setting)."
            )
        ]
    }

    private static func finding(_ severity: Severity, _ message: String, _ remedy: String) -> Finding {
        Finding("D43", severity, "merchant.secret_file", message, remedy: remedy)
    }
}
