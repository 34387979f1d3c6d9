import Primitives
import SimulatorCore
import StrictJSON

// Lists of what a customer has bought.

extension AppStoreModel {
    /// Transactions on a page.
    static let pageSize = 20

    /// A page of the history.
    mutating func history(_ request: SimulatorRequest, _ route: APIRoute) throws(APIFailure) -> SimulatorAnswer {
        let customer = try customer(route)
        let query = try HistoryQuery(request.query)
        let list = query.list(of: customer, route.operation)
        let start = try query.revision.map { (text) throws(APIFailure) in try PageRevision(text, of: list).change }
        let isOld = route.operation == .transactionHistoryV1
        let paid = state.stores[route.environment]?.paid(by: customer) ?? []
        let fitting = paid.filter { query.fits($0) && !(isOld && $0.kind == .consumable && $0.isFinished) }
        // A purchase that has changed since is behind the revision once more.
        let rest =
            query.isDescending
            ? fitting.reversed().filter { $0.change < start ?? .max } : fitting.filter { $0.change > start ?? 0 }
        let page = Array(rest.prefix(Self.pageSize))
        let end = PageRevision(list: list, change: page.last?.change ?? start ?? 0)
        return .json(
            200,
            .object(
                [
                    JSONMember("signedTransactions", try signed(page)), JSONMember("revision", .string(end.text)),
                    JSONMember("hasMore", .bool(rest.count > page.count)),
                ] + appMembers(in: route.environment)
            )
        )
    }

    /// A page of what was refunded, the earliest first.
    mutating func refunds(_ request: SimulatorRequest, _ route: APIRoute) throws(APIFailure) -> SimulatorAnswer {
        let customer = try customer(route)
        let list = PageRevision.list([customer.appTransactionID, route.operation.rawValue])
        var start = 0
        for (name, value) in try HistoryQuery.parameters(request.query) where name.octets == "revision" {
            start = try PageRevision(value, of: list).change
        }
        let all = (state.stores[route.environment]?.paid(by: customer) ?? [])
            .compactMap { purchase in purchase.revocation.map { (purchase, $0.change) } }
            .filter { $0.1 > start }.sorted { $0.1 < $1.1 }
        let page = all.prefix(Self.pageSize)
        let end = PageRevision(list: list, change: page.last?.1 ?? start)
        return .json(
            200,
            [
                "signedTransactions": try signed(page.map(\.0)), "revision": .string(end.text),
                "hasMore": .bool(all.count > page.count),
            ]
        )
    }

    /// What was bought with an order; there is no such call for the sandbox.
    mutating func order(_ route: APIRoute) throws(APIFailure) -> SimulatorAnswer {
        guard route.environment == .production else { return SimulatorAnswer(404) }
        let found = (state.stores[route.environment]?.purchases ?? []).filter {
            $0.isPaid && $0.orderID.octets == route.id.octets
        }
        guard !found.isEmpty else { return .json(200, ["status": 1]) }
        return .json(200, ["status": 0, "signedTransactions": try signed(found)])
    }

    /// Every subscription of a customer, by group.
    mutating func statuses(_ request: SimulatorRequest, _ route: APIRoute) throws(APIFailure) -> SimulatorAnswer {
        let customer = try customer(route)
        var wanted: Set<Int> = []
        for (name, value) in try HistoryQuery.parameters(request.query) where name.octets == "status" {
            guard let status = Int(value), (1...5).contains(status) else { throw .bad(4_000_031, name) }
            wanted.insert(status)
        }
        let paid = (state.stores[route.environment]?.paid(by: customer) ?? []).filter { $0.kind == .subscription }
        var data: [JSONValue] = []
        for group in Set(paid.compactMap(\.group)).sorted() {
            var last: [JSONValue] = []
            for original in Set(paid.filter { $0.group == group }.map(\.originalID)).sorted() {
                guard let latest = state.stores[route.environment]?.line(original).last else { continue }
                let status = latest.status(at: now)
                guard wanted.isEmpty || wanted.contains(status) else { continue }
                last.append([
                    "originalTransactionId": .string(original), "status": JSONValue(status),
                    "signedTransactionInfo": .string(try signed(latest)),
                    "signedRenewalInfo": .string(try renewalText(of: latest)),
                ])
            }
            data.append(["subscriptionGroupIdentifier": .string(group), "lastTransactions": .array(last)])
        }
        return .json(200, .object(appMembers(in: route.environment) + [JSONMember("data", .array(data))]))
    }

    /// What the answers about an app say of it; its number is known where it is sold.
    func appMembers(in environment: StoreEnvironment) -> [JSONMember] {
        let number = JSONMember("appAppleId", JSONValue(configuration.appAppleID))
        return [
            JSONMember("environment", .string(environment.rawValue)),
            JSONMember("bundleId", .string(configuration.bundleID)),
        ] + (environment == .production ? [number] : [])
    }
}
