import AmazonPay
import Notifications
import Operations
import ServerCore

/// D42: notifications of the provider.
enum NotificationChecks {
    static func findings(_ settings: ExaminedSettings) -> [Finding] {
        settings.list(topicSetting).flatMap { topic($0, settings) } + certificateHosts(settings)
    }

    private static let topicSetting = "notifications.topic_arn"

    private static func topic(_ text: String, _ settings: ExaminedSettings) -> [Finding] {
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
        guard settings.isRealProvider, let own = AmazonPayRegion(named: settings.text("provider.region")),
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

    private static func certificateHosts(_ settings: ExaminedSettings) -> [Finding] {
        let setting = "notifications.certificate_hosts"
        let isLive = PublicKeyID(settings.text("provider.public_key_id"))?.environment == .live
        guard !settings.text(setting).isEmpty, isLive || settings.isRealProvider else { return [] }
        let why = isLive ? "the key id is a live one" : "the provider is Amazon itself"
        return [
            Finding(
                "D42",
                .error,
                setting,
                "\(settings.text(setting)) could sign messages in Amazon's name, and \(why).",
                remedy: "Empty \(setting): it is for simulators."
            )
        ]
    }
}
