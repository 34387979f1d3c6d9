import CheckoutCodes
import EventIO
import ServerCore
import SessionBroker
import Telemetry
import Web

/// Where the checkout writes and counts; shared by all loops.
struct CheckoutTelemetry: Sendable {
    let logger: Logger
    let metrics: MetricsRegistry
    let counters: CheckoutCounters
    let polls: PollCounters
    let notifications: NotificationCounters

    /// Telemetry with every counter made, so that each is there from the start with the value zero.
    init(_ process: ProcessContext) {
        logger = process.logger
        metrics = process.metrics
        counters = CheckoutCounters(process)
        polls = PollCounters(metrics)
        notifications = NotificationCounters(metrics)
    }
}

/// The counters of the handlers.
///
/// Labels come from closed lists, never from a request.
struct CheckoutCounters: Sendable {
    private let refusals: [FailureCode: Counter]
    /// The counter of `unavailable`, for what is refused before its handler.
    let unavailable: Counter
    /// By raw value of the origin.
    private let opens: [(clients: [ClientKind: Counter], unknown: Counter)]
    private let others: Counter
    /// What browsers have reported about a page's policy.
    let policyReports: Counter

    init(_ process: ProcessContext) {
        let metrics = process.metrics
        refusals = Dictionary(
            uniqueKeysWithValues: process.failures.map { code in
                let help = "Requests refused, by code of the HTTP contract."
                return (
                    code, metrics.counter("sallyport_refusals_total", help: help, labels: [("code", code.name)])
                )
            }
        )
        unavailable = metrics.counter(
            "sallyport_refusals_total",
            help: "Requests refused, by code of the HTTP contract.",
            labels: [("code", FailureCode.unavailable.name)]
        )
        others = metrics.counter("sallyport_uncounted_total", help: "Events that no other counter has.")
        policyReports = metrics.counter(
            "sallyport_policy_reports_total",
            help: "Reports of browsers about content that a page's content security policy blocked, or would block."
        )
        opens = FetchSite.allCases.map { site in
            func counter(_ client: String) -> Counter {
                metrics.counter(
                    "sallyport_open_fetch_site_total",
                    help: "Opens of tickets, by the value of Sec-Fetch-Site and by client.",
                    labels: [("site", site.word), ("client", client)]
                )
            }
            let clients = ClientKind.allCases.map { ($0, counter($0.rawValue)) }
            return (Dictionary(uniqueKeysWithValues: clients), counter("unknown"))
        }
    }

    /// The counter of a code.
    func refusal(_ code: FailureCode) -> Counter {
        refusals[code] ?? others
    }

    /// The counter of an origin and a client.
    ///
    /// - Parameter client: `nil` where nothing was opened.
    func open(_ site: FetchSite, _ client: ClientKind?) -> Counter {
        let (clients, unknown) = opens[site.rawValue]
        return client.flatMap { clients[$0] } ?? unknown
    }
}
