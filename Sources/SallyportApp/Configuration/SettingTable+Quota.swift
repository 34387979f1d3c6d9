import AmazonPay

extension SettingTable {
    /// How often the provider may be called.
    static let quota: [Setting] =
        [
            Setting(
                "provider.quota_processes",
                .number(1...1000),
                "1",
                "how many processes share the account; each takes an equal part of its limits"
            )
        ]
        + AmazonPayOperation.allCases.map { operation in
            Setting(
                quotaName(operation),
                .callRate,
                "",
                "calls of the account, at once and a second, such as 36/7.2; empty: nine tenths of what Amazon documents"
            )
        }

    /// The setting of an operation's limit.
    static func quotaName(_ operation: AmazonPayOperation) -> String { "provider.quota.\(operation.rawValue)" }
}
