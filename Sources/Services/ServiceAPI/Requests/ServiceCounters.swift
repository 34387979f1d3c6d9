import HTTPCore
import Telemetry
import Web

/// Counts answers below `/v1` and `/app/v1`; one per loop.
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
        for code in Set(codes).sorted() { _ = counter(route.name, code, isApp: route.principal.isApp) }
    }

    /// Makes the counters of answers for which there is no route.
    func prepareOthers() {
        for code in [404, 405] { _ = counter("none", code, isApp: false) }
    }

    /// Counts an answer of a route.
    func count(_ route: RouteDescription, _ status: Int) {
        counter(route.name, status, isApp: route.principal.isApp).increment()
    }

    /// Counts an answer of no route.
    func count(_ status: Int) {
        counter("none", status, isApp: false).increment()
    }

    private func counter(_ route: String, _ status: Int, isApp: Bool) -> Counter {
        let key = "\(route) \(status)"
        if let counter = counters[key] { return counter }
        let counter = metrics.counter(
            isApp ? "sallyport_app_requests_total" : "sallyport_merchant_requests_total",
            help: "Requests of \(isApp ? "apps" : "merchants' programs"), by route and status.",
            labels: [("route", route), ("code", "\(status)")]
        )
        counters[key] = counter
        return counter
    }
}
