import EventIO
import Primitives
import ServerCore
package import SessionBroker
package import Settings

/// What the settings say of the checkout.
package struct CheckoutSettings: Sendable {
    /// The rules of a session, with what the profile leaves open filled in.
    package let policy: BrokerPolicy
    /// Whether the rules may take the place of those that programs of the database work under.
    let allowsPolicyChange: Bool
    /// The file of the key that the trail is marked under; empty for none.
    private let trailSecretPath: String
    /// Whether what the policy of a page with the provider's script forbids is kept out, not only reported.
    let enforcesScriptPolicy: Bool
    /// Whether the steps of purchases are worth a line each.
    let logsSteps: Bool
    /// The account.
    package let provider: ProviderSettings
    /// What the shop shows of itself.
    package let shop: ShopSettings
    /// What the provider may push.
    package let notifications: NotificationSettings
    /// The apps that return links open.
    package let apps: AppSettings

    init(_ read: inout SettingReader) {
        let rules = SessionRules(&read)
        policy = rules.policy
        allowsPolicyChange = rules.allowsChange
        trailSecretPath = rules.trailSecretPath
        let scriptPolicy = read.choice(
            "csp.p2",
            ["enforce", "report"],
            "enforce",
            "enforce the content security policy of pages with the provider's script, or only report violations"
        )
        enforcesScriptPolicy = scriptPolicy == "enforce"
        logsSteps = read.flag(
            "log_steps",
            false,
            "log each step of a purchase (`session.issued`, `session.placed`, ...) at `info`, not at `debug`; on in `demo`"
        )
        provider = ProviderSettings(&read)
        shop = ShopSettings(&read)
        notifications = NotificationSettings(&read, provider: provider)
        apps = read.within(.apps) { AppSettings(&$0) }
        if read.areSound("session.launch", "session.idle", "session.absolute"),
            policy.times.launch > policy.times.idle || policy.times.idle > policy.times.absolute
        {
            read.complain(
                "session.idle",
                "session.launch must not be longer than session.idle, nor session.idle longer than session.absolute"
            )
        }
    }
}

extension CheckoutSettings {
    /// The rules of a session with the key that the trail is marked under, where one is set; reads its file.
    ///
    /// - Throws: What is wrong with the file.
    package func markingPolicy() throws(ConfigurationError) -> BrokerPolicy {
        guard !trailSecretPath.isEmpty else { return policy }
        let bytes = try SecretFile.read(trailSecretPath, "session.trail_secret")
        guard bytes.count >= CheckoutSettings.leastKeyByteCount else {
            throw ConfigurationError(problems: [
                "session.trail_secret: fewer than \(CheckoutSettings.leastKeyByteCount) bytes"
            ])
        }
        var marking = policy
        marking.trailKey = Secret(bytes)
        return marking
    }

    /// The shortest key that the trail is marked under.
    static let leastKeyByteCount = 32
}
