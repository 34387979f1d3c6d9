import HTTPCore
import Primitives

/// Leads requests of the simulator to where the hosts of the shop are in truth, as the tests' browsers do, and waits
/// for the answers: the simulator would repeat a message that is answered late an hour later by its clock.
final class RoutedExchange: HTTPExchange {
    /// Where the shop is; not known before it has started.
    ///
    /// Safe from any thread.
    final class Route: Sendable {
        private let hosts = Lock<HostTable?>(nil)

        /// What is known by now.
        var table: HostTable? { hosts.withLock { $0 } }

        /// Learns where the shop is.
        func set(_ table: HostTable) {
            hosts.withLock { $0 = table }
        }
    }

    private let next: any HTTPExchange
    private let route: Route

    /// An exchange on the loop of another one.
    ///
    /// - Parameters:
    ///   - next: Carries the requests.
    ///   - route: Where the shop is.
    init(_ next: any HTTPExchange, route: Route) {
        self.next = next
        self.route = route
    }

    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        var request = request.patient
        guard let table = route.table else { return try await next.send(request) }
        let truth = table.truth(of: URLParts(request.url, base: ""))
        request.url = truth.url
        request.fields.append(("host", truth.host))
        return try await next.send(request)
    }
}
