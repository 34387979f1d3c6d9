import Accounts
import EventIO
package import Operations
import Postgres
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import Telemetry
import Web
import Webhooks

/// Purchases on one loop.
package final class AppStorePart: FeaturePart {
    let loop: LoopContext
    let process: AppStoreProcess
    let metrics: PurchaseMetrics
    /// `nil` where Apple's server is not asked.
    let server: AppStoreServer?
    /// `nil` where nobody is asked whether certificates are revoked.
    let revocation: RevocationClient?

    /// Purchases for a command, which serves nobody.
    init(unserved process: AppStoreProcess, _ loop: LoopContext) {
        self.loop = loop
        self.process = process
        metrics = PurchaseMetrics(loop.metrics)
        server = process.keys.map { AppStoreServer(process.settings.server, $0, process.pace, loop) }
        let policy = process.settings.revocation
        revocation = policy == .off ? nil : RevocationClient(policy, metrics, loop)
    }

    convenience init(_ process: AppStoreProcess, _ loop: LoopContext) throws {
        self.init(unserved: process, loop)
        try loop.part(ServiceFeature.self).serve(self, AppStorePart.serviceRules)
        let events = try loop.part(WebhookDelivery.self)
        try events.handle(.purchasesFinished) { [self] event in try await finish(event) }
        try events.handle(.giftsGranted) { [self] event in try await give(event) }
    }

    package func schedule(_ jobs: JobSchedule) {
        jobs.upkeep?.add { [self] in await prune() }
        jobs.upkeep?.add { [self] in await pruneForwards() }
        if process.settings.forwards.isOn {
            let exchange = loop.client(process.settings.forwards.purpose)
            jobs.every(.seconds(5), budget: .seconds(60), "app_store.forward") { [self] budget in
                while !budget.isSpent, try await forward(over: exchange) {}
            }
        }
        guard server != nil else { return }
        jobs.every(.seconds(60), budget: .seconds(300), "app_store.history") { [self] budget in
            try await readHistory(within: budget)
        }
        jobs.every(.seconds(60), budget: .seconds(50), "app_store.reconcile") { [self] budget in
            try await reconcile(within: budget)
        }
        jobs.every(.seconds(10), budget: .seconds(60), "app_store.consumption") { [self] budget in
            while !budget.isSpent, try await answerConsumption() {}
        }
    }

    /// Characters of a signed text; three certificates and a purchase have some 6,000.
    static let longestText = 65_536
    /// Characters of a receipt of an app, in Base64; it has all purchases of a customer.
    static let longestReceipt = 131_072
}
