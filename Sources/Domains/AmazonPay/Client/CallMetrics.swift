import Telemetry

/// What an operator can see of the calls of one loop.
struct CallMetrics {
    private var durations: [AmazonPayOperation: Histogram] = [:]
    private var breaks: [AmazonPayOperation: Counter] = [:]
    private var throttlings: [AmazonPayOperation: Counter] = [:]
    private var refusals: [Priority: [AmazonPayOperation: Counter]] = [:]

    init(_ registry: MetricsRegistry) {
        for operation in AmazonPayOperation.allCases {
            let labels = [("operation", operation.label)]
            durations[operation] = registry.histogram(
                "sallyport_amazonpay_call_seconds",
                help: "How long one try of a call to Amazon Pay took.",
                labels: labels
            )
            breaks[operation] = registry.counter(
                "sallyport_amazonpay_broken_calls_total",
                help: "Tries of calls to Amazon Pay that got no answer.",
                labels: labels
            )
            throttlings[operation] = registry.counter(
                "sallyport_amazonpay_throttled_total",
                help: "Tries of calls to Amazon Pay that were answered with 429 or 425.",
                labels: labels
            )
            for priority in Priority.allCases {
                refusals[priority, default: [:]][operation] = registry.counter(
                    "sallyport_amazonpay_quota_refused_total",
                    help: "Calls to Amazon Pay that the program's quota did not allow before their deadline.",
                    labels: labels + [("priority", priority.word)]
                )
            }
        }
    }

    func observe(_ operation: AmazonPayOperation, _ duration: Duration) {
        durations[operation]?.observe(duration / .seconds(1))
    }

    func broke(_ operation: AmazonPayOperation) {
        breaks[operation]?.increment()
    }

    func throttled(_ operation: AmazonPayOperation) {
        throttlings[operation]?.increment()
    }

    func refused(_ call: Call) {
        refusals[call.priority]?[call.operation]?.increment()
    }
}
