import Primitives
import SimulatorCore
import StrictJSON

// Calls that change something about a purchase.

extension AppStoreModel {
    /// Binds a purchase to an account of the developer.
    mutating func setToken(_ request: SimulatorRequest, _ route: APIRoute) throws(APIFailure) -> SimulatorAnswer {
        guard let store = state.stores[route.environment] else { throw .unknownOriginal }
        do throws(APIFailure) { try checkID(route.id) } catch { throw .bad(4_000_008, "originalTransactionId") }
        guard let purchase = store.paid(route.id) else {
            throw store.isAppTransaction(route.id) ? .isAppTransaction : .unknownOriginal
        }
        guard purchase.id.octets == purchase.originalID.octets else {
            throw APIFailure(4_000_187, "Invalid request. The transaction id is not an original transaction id.")
        }
        switch purchase.ownership {
        case .familyShared:
            throw APIFailure(4_000_185, "Invalid request. Family-shared transactions are not supported.")
        case .assigned: throw APIFailure(4_000_227, "Invalid request. Assigned transactions are not supported.")
        case .purchased: break
        }
        let body = try json(request)
        guard let text = body["appAccountToken"]?.text, let token = UUIDBytes(text.octets.lowercase) else {
            throw APIFailure(4_000_183, "Invalid request. The app account token is not a UUID.")
        }
        for one in store.line(purchase.id) {
            state.stores[route.environment]?.update(one.id) { one, _ in one.token = token.description }
        }
        return SimulatorAnswer(200)
    }

    /// Takes in what a developer says of goods that a customer wants to give back.
    mutating func takeConsumption(
        _ request: SimulatorRequest,
        _ route: APIRoute
    ) throws(APIFailure)
        -> SimulatorAnswer
    {
        let purchase = try transaction(route)
        let body = try json(request)
        let report =
            route.operation == .sendConsumption
            ? try ConsumptionReport(body, about: purchase) : try ConsumptionReport(old: body)
        state.stores[route.environment]?.mark(purchase.id) { $0.consumption = report.text }
        return SimulatorAnswer(202)
    }

    /// The JSON of a request.
    func json(_ request: SimulatorRequest) throws(APIFailure) -> JSONValue {
        guard let value = try? JSONParser.parse(request.body), case .object = value else {
            throw APIFailure(4_000_000, "Bad request.")
        }
        return value
    }
}
