import AppStoreTransactions
import HTTPCore
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import Web

extension AppStorePart {
    /// What the merchant's programs ask Apple's server through this one.
    static let lookupRoutes = [
        ServiceRoute<AppStorePart>(.readOrder) { call throws(Failure) in
            _ = try call.query([])
            return ServiceAnswer(.ok, try await call.part.order(call.parameter()))
        },
        ServiceRoute(.readTransaction) { call throws(Failure) in
            let name = try call.query(["environment"])["environment"]
            let part = call.part
            let environments = try name == nil ? part.process.verifiers.environments : [part.environment(named: name)]
            return ServiceAnswer(.ok, try await part.transaction(call.parameter(), in: environments))
        },
        ServiceRoute(.nameAccount) { call throws(Failure) in try await call.part.nameAccount(call) },
        ServiceRoute(.readSubscriptions) { call throws(Failure) in
            let environment = try call.part.environment(named: try call.query(["environment"])["environment"])
            return ServiceAnswer(.ok, try await call.part.subscriptions(of: try call.account, in: environment))
        },
    ]

    private func nameAccount(_ call: ServiceCall<AppStorePart>) async throws(Failure) -> ServiceAnswer {
        var body = try call.body()
        let word = try Failure.reading { () throws(JSONRefusal) in
            let word = try body.optionalText("environment")
            try body.end()
            return word
        }
        let environments = try word == nil ? process.verifiers.environments : [environment(named: word)]
        return ServiceAnswer(.ok, try await name(try call.account, for: call.parameter(1), in: environments))
    }

    /// What all routes of purchases share.
    static var serviceRules: ServiceRules {
        var rules = ServiceRules()
        for name in ["transactionId", "orderId"] { rules.idPatterns[name] = "^[!-~]{1,128}$" }
        return rules
    }
}
