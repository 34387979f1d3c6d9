package import ServerCore
package import Settings

/// The interface for merchants' programs below `/v1`, for the routes of every feature: keys, limits, claims of
/// `Idempotency-Key`, problems, and the description.
package struct ServiceFeature: Feature {
    private let requestsPerMinute: Int

    package init(_ settings: inout SettingReader) {
        requestsPerMinute = settings.number(
            "merchant.requests_per_minute",
            1...1_000_000,
            600,
            "requests a minute per API key"
        )
    }

    package func start(_ process: ProcessContext) -> ServiceProcess {
        ServiceProcess(deployment: ServiceDeployment(requestsPerMinute: requestsPerMinute, process))
    }
}

/// The interface for merchants' programs once per process.
package struct ServiceProcess: FeatureProcess {
    let deployment: ServiceDeployment

    package func open(_ loop: LoopContext) throws -> ServicePart {
        try ServicePart(deployment, loop)
    }
}
