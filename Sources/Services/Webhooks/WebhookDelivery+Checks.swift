package import Operations
package import ServerCore

extension WebhookDelivery {
    /// D43: whether webhooks can be signed; `ConfiguredFeatures` looks at the file itself.
    package func findings(_ settings: ExaminedSettings) -> [Finding] {
        guard settings.files[KeyringFile.setting] == nil, settings.text("merchant.api") == "true" else { return [] }
        return [
            Finding(
                "D43",
                .warning,
                KeyringFile.setting,
                "It is not set, so merchants cannot be told of events by webhooks.",
                remedy: "Name a file of keys that all processes share; no webhook is added without it."
            )
        ]
    }
}
