import HTTPCore
import Telemetry
import Web

/// Counts answers below `/v1`; one per loop.
final class ServiceCounters {
    private let metrics: MetricsRegistry
    /// Those of all answers in the description are there from the start.
    private var counters: [String: Counter] = [:]

    init(_ metrics: MetricsRegistry) {
        self.metrics = metrics
    }

    /// Makes the counters of a route's answers, so that they are shown before there is one.
    func prepare(_ route: RouteDescription) {
        let codes = route.shape.answers.map(\.status.code) + route.refusals.map(\.status.code)
        for code in Set(codes).sorted() { _ = counter(route.name, code) }
    }

    /// Makes the counters of answers for which there is no route.
    func prepareOthers() {
        for code in [404, 405] { _ = counter("none", code) }
    }

    /// Counts an answer of a route, by its name in the description, or of `none`.
    func count(_ route: String, _ status: Int) {
        counter(route, status).increment()
    }

    private func counter(_ route: String, _ status: Int) -> Counter {
        let key = "\(route) \(status)"
        if let counter = counters[key] { return counter }
        let counter = metrics.counter(
            "sallyport_merchant_requests_total",
            help: "Requests of merchants' programs, by route and status.",
            labels: [("route", route), ("code", "\(status)")]
        )
        counters[key] = counter
        return counter
    }
}
