import Web

/// How often addresses may ask for what anybody may ask for; shared by the loops of a process.
struct WalletLimits: Sendable {
    /// Lists without a change.
    let lists: AddressRateLimit
    /// Error logs.
    let logs: AddressRateLimit
    /// Download links.
    let links: AddressRateLimit

    init(_ settings: WalletSettings) {
        lists = AddressRateLimit(perMinute: settings.listsPerMinute)
        logs = AddressRateLimit(perMinute: settings.logsPerMinute)
        links = AddressRateLimit(perMinute: settings.linksPerMinute)
    }
}
