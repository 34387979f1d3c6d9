import AppStoreTransactions
import EventIO
import Operations
import Postgres
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import Telemetry
import Web

// What Apple is told of purchases whose refund a customer has asked for, from the ledger and with the customer's consent alone.

extension AppStorePart {
    /// Answers some of the requests that are due; whether there were any.
    @discardableResult
    func answerConsumption() async throws -> Bool {
        let requests = try await loop.database.work(ConsumptionStatement.take(10)).all()
        for request in requests { try await answer(request) }
        return !requests.isEmpty
    }

    private func answer(_ request: ConsumptionRequest) async throws {
        let part = ConsumptionInformation.percentage(spent: request.used, ofGranted: request.granted)
        let outcome = await send(request, part)
        metrics.countConsumption(outcome.state)
        let statement = ConsumptionStatement.end(
            request.id,
            outcome.state.rawValue,
            outcome.detail,
            outcome.percentage,
            outcome.pause
        )
        _ = try await loop.database.work(statement)
    }

    private func send(_ request: ConsumptionRequest, _ part: Int) async -> ConsumptionOutcome {
        guard let server,
            let environment = AppStoreEnvironment.allCases.first(where: {
                $0.rawValue.octets == request.environment.octets
            })
        else { return .refused("the environment is off") }
        let type = TransactionType(word: request.type.octets)
        let preference = preference(part)
        let call: ServerAPIRequest
        do {
            let information = try ConsumptionInformation(
                of: type,
                isConsented: true,
                isSampleProvided: false,
                delivery: request.granted > 0 || type != .consumable ? .delivered : .other,
                percentage: type == .consumable ? part : nil,
                preference: preference
            )
            call = try .consumption(of: request.transaction, information)
        } catch {
            return .refused("\(error)")
        }
        do throws(ServerAPIProblem) {
            _ = try await server.call(call, in: environment)
            return .sent(preference?.rawValue, part)
        } catch {
            switch error {
            case .refused(let failure): return .refused("\(failure)")
            case .off, .noServer, .credentials, .unavailable, .later: return .later(error.sentence)
            }
        }
    }

    /// What the merchant would like Apple to do; a part of the price is given back where a part was used.
    private func preference(_ part: Int) -> ConsumptionInformation.Preference? {
        let wanted = process.settings.refundPreference
        guard wanted == .grantProrated else { return wanted }
        if part == 0 { return .grantFull }
        return part < ConsumptionInformation.whole ? .grantProrated : .decline
    }

    /// Notes whether the customer of an account agrees.
    func setConsent(_ account: UUIDBytes, _ isGiven: Bool) async throws(Failure) -> JSONValue {
        let statement = ConsumptionStatement.consent(account, UUIDBytes(version4: loop.reactor.random), isGiven)
        let consent = try await Failure.mapErrors { try await loop.database.write(statement, key: account).first() }
        guard consent.isKnown else { throw Failure(.notFound) }
        return [
            "object": "appStoreConsent", "accountId": .string(account.description),
            "consented": .bool(consent.since != nil), "since": JSONValue(optionalTime: consent.since),
        ]
    }
}

/// What became of an answer to Apple.
private struct ConsumptionOutcome {
    let state: ConsumptionState
    let detail: String?
    /// That was sent.
    var percentage: Int32?
    /// Seconds until the next try.
    var pause: Int64 = 0

    static func sent(_ preference: String?, _ part: Int) -> ConsumptionOutcome {
        ConsumptionOutcome(state: .sent, detail: preference, percentage: Int32(part))
    }

    /// A repetition would be answered the same.
    static func refused(_ detail: String) -> ConsumptionOutcome { ConsumptionOutcome(state: .refused, detail: detail) }

    static func later(_ detail: String) -> ConsumptionOutcome {
        ConsumptionOutcome(state: .open, detail: detail, pause: 300)
    }
}
