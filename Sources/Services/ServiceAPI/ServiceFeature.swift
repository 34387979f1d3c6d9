package import ServerCore
package import Settings

/// The interface for merchants' programs below `/v1` and for apps below `/app/v1`, for the routes of every feature: keys,
/// limits, claims of `Idempotency-Key`, problems, and the description.
package struct ServiceFeature: Feature {
    private let requestsPerMinute: Int
    private let accountsPerMinute: Int

    package init(_ settings: inout SettingReader) {
        requestsPerMinute = settings.number(
            "merchant.requests_per_minute",
            1...1_000_000,
            600,
            "requests a minute per API key"
        )
        accountsPerMinute = settings.number(
            "service.app_requests_per_minute",
            1...1_000_000,
            120,
            "requests a minute of the apps of one account"
        )
    }

    package func start(_ process: ProcessContext) -> ServiceProcess {
        ServiceProcess(
            deployment: ServiceDeployment(
                requestsPerMinute: requestsPerMinute,
                accountsPerMinute: accountsPerMinute,
                process
            )
        )
    }
}

/// The interface once per process.
package struct ServiceProcess: FeatureProcess {
    let deployment: ServiceDeployment

    package func open(_ loop: LoopContext) throws -> ServicePart {
        try ServicePart(deployment, loop)
    }
}
