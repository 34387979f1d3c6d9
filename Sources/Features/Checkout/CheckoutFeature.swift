import AmazonPay
import CheckoutCodes
import EventIO
import Operations
package import ServerCore
import SessionBroker
package import Settings
import Telemetry
import Web

/// The checkout: sessions that cross from the app to the tab and back, the provider's pages between, and the purchase.
package struct CheckoutFeature: Feature {
    /// What the settings say of it.
    package let settings: CheckoutSettings

    package init(_ settings: inout SettingReader) {
        self.settings = CheckoutSettings(&settings)
    }

    /// There is no checkout without an account at the provider.
    package var state: FeatureState { settings.provider.isNamed ? .on : .off(set: ProviderSettings.switches) }

    package func start(_ process: ProcessContext) throws -> CheckoutProcess {
        try CheckoutProcess(settings, process)
    }
}

extension CheckoutFeature {
    /// The account at the provider, with its key, for a command.
    package func provider(_ context: any CommandContext) throws(ConfigurationError) -> ProviderSetup {
        try ProviderSetup(settings, web: context.web)
    }
}

/// The checkout once per process: account, limits, fixed answers, the thread that signs.
package struct CheckoutProcess: FeatureProcess {
    /// What the settings say of it.
    package let settings: CheckoutSettings
    let provider: ProviderSetup
    let deployment: Deployment
    let notifications: NotificationSetup?
    let telemetry: CheckoutTelemetry
    let limits: WebviewSessionLimits
    let quota: CallQuota
    let sessionCalls: SessionCalls
    let signing: SigningQueue

    /// Reads the files that the settings name.
    ///
    /// - Throws: `ConfigurationError` with every problem.
    init(_ settings: CheckoutSettings, _ process: ProcessContext) throws {
        self.settings = settings
        var problems: [String] = []
        func gathered<Value>(_ body: () throws -> Value) throws -> Value? {
            do {
                return try body()
            } catch let error as ConfigurationError {
                problems += error.problems
                return nil
            }
        }
        let account = try gathered { () throws -> (ProviderSetup, Deployment) in
            let provider = try ProviderSetup(settings, web: process.web)
            return (provider, try Deployment(settings, provider: provider, process))
        }
        notifications = try gathered { try NotificationSetup(settings) } ?? nil
        guard let (provider, deployment) = account, problems.isEmpty else {
            throw ConfigurationError(problems: problems)
        }
        self.provider = provider
        self.deployment = deployment
        telemetry = CheckoutTelemetry(process)
        var policy = settings.policy
        policy.limits.unknownPerMinute = process.unknownPerMinute
        limits = WebviewSessionLimits(policy: policy)
        quota = CallQuota(provider.quota)
        sessionCalls = SessionCalls(process.metrics, limits: provider.quota)
        let missing = settings.shop.terms.missing
        if !process.web.isLoopback, !missing.isEmpty {
            // Said at each start, because nobody has to run `doctor`.
            let fields = [LogField("settings", missing.joined(separator: " ")), LogField("check", "D56")]
            process.logger.warning("shop.incomplete", fields)
        }
        signing = SigningQueue(try process.workers.thread(.sign), metrics: process.metrics)
    }

    package func prepare(_ loop: LoopContext) async throws {
        let policy = deployment.policy
        let store = try PostgresSessionStore(client: loop.database, policy: policy)
        // The account first, since a policy may be replaced: that of another account's database must not be.
        try await store.demandAccount(provider.account, orAllowed: settings.provider.allowsAccountChange)
        try await store.demandPolicy(policy, orAllowed: settings.allowsPolicyChange)
    }

    package func open(_ loop: LoopContext) throws -> CheckoutPart {
        let part = try CheckoutPart(self, loop)
        loop.formats[.page] = ShopFailures(part, .page)
        loop.formats[.json] = ShopFailures(part, .json)
        loop.offer(deployment.frames)
        loop.offer(PlaintextRevocation(part), as: (any PlaintextGuard).self)
        return part
    }

    // Sealed data go first, whatever hinders the others.
    package var retentions: [Retention] {
        let times = settings.policy.times
        return [
            Retention("webview_session_private", keep: times.keepPrivate),
            Retention("webview_session_event", keep: times.keepWebviewSessions),
            Retention("webview_session", keep: times.keepWebviewSessions),
        ]
    }
}
