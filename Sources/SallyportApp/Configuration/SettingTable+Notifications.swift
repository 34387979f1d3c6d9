extension SettingTable {
    /// What the provider may push to us, and how we know that it is the provider.
    static let notifications: [Setting] = [
        Setting(
            "notifications.topic_arn",
            .list,
            "",
            "topics of the provider's messages; empty: /ipn/amazon-pay answers 404"
        ),
        Setting(
            "notifications.trust_anchor",
            .path,
            "",
            "PEM file: roots that sign the sender; empty for the machine's"
        ),
        Setting("notifications.intermediates", .path, "", "PEM file: certificates that the sender may leave out"),
        Setting(
            "notifications.certificate_hosts",
            .list,
            "",
            "hosts, with ports, that count as the sender's: simulators only"
        ),
        Setting("notifications.max_age", .duration(60...86_400), "4h", "older messages are refused"),
        Setting(
            "notifications.confirm_subscriptions",
            .flag,
            "false",
            "grant the wish of our topics for our address without a person"
        ),
    ]

    /// What is asked of the provider without anybody waiting.
    static let reconciliation: [Setting] = [
        Setting(
            "reconciliation.round",
            .duration(0...3600),
            "30s",
            "pause between two looks at what is to be asked of the provider; 0: never"
        )
    ]
}
