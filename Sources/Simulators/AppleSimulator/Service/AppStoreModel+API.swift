import Cryptography
import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON

/// A request on its way, put aside for a while.
struct AppStorePause: Sendable {
    let request: SimulatorRequest
    let route: APIRoute
    let fault: Fault
}

/// What happens next with a request to the store.
typealias AppStoreStep = SimulatorStep<AppStorePause>

extension AppStoreModel {
    /// Answers a request that is not for the control interface.
    mutating func receive(_ request: SimulatorRequest) -> AppStoreStep {
        if Self.isRevocationRequest(request) { return answerRevocation(request) }
        guard let route = APIRoute(request) else { return .answer(SimulatorAnswer(404)) }
        let fault = faults.take(route.operation.rawValue, byNameOnly: false, account: route.environment.rawValue)
        guard let fault, fault.delay > .zero else { return answer(request, route, fault) }
        return .pause(fault.delay, AppStorePause(request: request, route: route, fault: fault.spent))
    }

    /// Goes on with a request that has waited.
    mutating func resume(_ pause: AppStorePause, at real: WallTime) -> AppStoreStep {
        moveTo(real)
        return answer(pause.request, pause.route, pause.fault)
    }

    private mutating func answer(_ request: SimulatorRequest, _ route: APIRoute, _ fault: Fault?) -> AppStoreStep {
        var entry = APIEntry(
            time: now,
            operation: route.operation.rawValue,
            environment: route.environment.rawValue,
            method: request.method,
            path: String(request.path.prefix(300)),
            query: String(request.query.prefix(500))
        )
        entry.fault = fault?.kind.name
        var answer: SimulatorAnswer
        var delivery = SimulatorDelivery.whole
        switch fault?.kind {
        case .resetBefore: (answer, delivery) = (SimulatorAnswer(0), .nothing)
        case .refusal(let status, let reason): answer = refusal(status, reason, fault?.retryAfter)
        case .htmlBody(.some(let status)): answer = .gatewayPage(status)
        default:
            let served = serve(request, route)
            (answer, entry.code) = (served.answer, served.code)
            delivery = fault?.spoil(&answer) ?? .whole
        }
        entry.status = answer.status
        calls.add(entry)
        return .answer(answer, delivery)
    }

    /// The answer of a fault: a code of seven digits as reason, or a status alone.
    private func refusal(_ status: Int, _ reason: String?, _ retryAfter: String?) -> SimulatorAnswer {
        var answer = SimulatorAnswer(status)
        if let code = reason.flatMap({ Int($0) }) {
            answer = .json(status, ["errorCode": JSONValue(code), "errorMessage": "Injected by a fault."])
        } else if status == 429 {
            answer = .json(status, ["errorCode": 4_290_000, "errorMessage": "Rate limit exceeded."])
        }
        // The vendor counts in milliseconds since 1970; a plus sign counts from now.
        if let text = retryAfter ?? (status == 429 ? "+1000" : nil) {
            let ahead = text.octets.starts(with: "+") ? Int64(text.dropFirst()) : nil
            let time = ahead.map { String(realTime.microseconds / 1_000 + $0) } ?? text
            answer.fields.append(.init(name: "retry-after", value: time))
        }
        return answer
    }

    private mutating func serve(_ request: SimulatorRequest, _ route: APIRoute) -> (answer: SimulatorAnswer, code: Int?)
    {
        let isKnown = BearerToken.isGood(
            request.first("authorization"),
            keys: configuration.keys,
            bundle: configuration.bundleID,
            // Clients go by the real clock, wherever the simulated one is.
            now: realTime
        )
        guard isKnown else { return (SimulatorAnswer(401), nil) }
        guard !state.switches.limitsRates || state.rates.take(route, at: realTime) else {
            return (refusal(429, nil, nil), 4_290_000)
        }
        do throws(APIFailure) {
            return (try carryOut(request, route), nil)
        } catch {
            return (error.answer, error.code)
        }
    }

    private mutating func carryOut(
        _ request: SimulatorRequest,
        _ route: APIRoute
    ) throws(APIFailure)
        -> SimulatorAnswer
    {
        switch route.operation {
        case .transactionInfo:
            return .json(200, ["signedTransactionInfo": .string(try signed(transaction(route)))])
        case .finishTransaction:
            let purchase = try transaction(route)
            state.stores[route.environment]?.mark(purchase.id) { $0.isFinished = true }
            return SimulatorAnswer(200)
        case .appTransactionInfo:
            let customer = try customer(route)
            do throws(CryptographyError) {
                let text = try appTransaction(of: customer, in: route.environment)
                return .json(200, ["signedAppTransactionInfo": .string(text)])
            } catch { throw APIFailure(error) }
        case .transactionHistory, .transactionHistoryV1: return try history(request, route)
        case .refundHistory: return try refunds(request, route)
        case .orderLookup: return try order(route)
        case .subscriptionStatuses: return try statuses(request, route)
        case .setAppAccountToken: return try setToken(request, route)
        case .sendConsumption, .sendConsumptionV1: return try takeConsumption(request, route)
        case .testNotification: return try requestTest(route)
        case .testNotificationStatus: return try testStatus(route)
        case .notificationHistory: return try notificationHistory(request, route)
        }
    }

    // MARK: Ids

    /// Ids have digits only.
    func checkID(_ id: String) throws(APIFailure) {
        guard (1...32).contains(id.utf8.count), id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .badTransactionID
        }
    }

    /// The paid transaction that a path names.
    func transaction(_ route: APIRoute) throws(APIFailure) -> Purchase {
        try checkID(route.id)
        guard let store = state.stores[route.environment] else { throw .unknownTransaction }
        if let purchase = store.paid(route.id) { return purchase }
        throw store.isAppTransaction(route.id) ? .isAppTransaction : .unknownTransaction
    }

    /// The customer behind any id that a path names.
    func customer(_ route: APIRoute) throws(APIFailure) -> StoreCustomer {
        try checkID(route.id)
        guard let customer = state.stores[route.environment]?.customer(ofAny: route.id) else {
            throw .unknownTransaction
        }
        return customer
    }

    /// The text of a purchase, signed now.
    mutating func signed(_ purchase: Purchase) throws(APIFailure) -> String {
        do throws(CryptographyError) {
            return try text(of: purchase)
        } catch { throw APIFailure(error) }
    }

    /// The texts of purchases, signed now.
    mutating func signed(_ purchases: [Purchase]) throws(APIFailure) -> JSONValue {
        var texts: [JSONValue] = []
        for purchase in purchases { texts.append(.string(try signed(purchase))) }
        return .array(texts)
    }
}
