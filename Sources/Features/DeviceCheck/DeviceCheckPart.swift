import Cryptography
import DeviceAttestation
import EventIO
package import Operations
import Postgres
import Primitives
import ServerCore
import ServiceAPI
import Telemetry
package import Web
import Webhooks

/// Devices on one loop.
package final class DeviceCheckPart: FeaturePart {
    let loop: LoopContext
    let process: DeviceCheckProcess
    let metrics: DeviceMetrics
    /// `nil` where no keys of apps are taken.
    let attestMetrics: AttestMetrics?
    /// Refused attestations, of which one a second is written down: everybody with a token can send them.
    var attestLines = LogRateLimiter(perSecond: 1)
    /// `nil` where Apple is not asked about the devices of keys.
    let receipts: ReceiptRenewal?
    /// `nil` where Apple is not asked; tests have another one.
    var service: (any DeviceService)?
    private let hmac: HMACSHA256

    init(_ process: DeviceCheckProcess, _ loop: LoopContext) throws {
        self.loop = loop
        self.process = process
        metrics = DeviceMetrics(loop.metrics, process.policies)
        service = process.apple.map { AppleDeviceService(process.settings.apple, $0, loop) }
        receipts = ReceiptRenewal(process, loop)
        hmac = try HMACSHA256()
        attestMetrics = process.attest.map { _ in AttestMetrics(loop.metrics) }
        if !process.settings.attest.required.isEmpty { loop.offer(self, as: (any AppGuard).self) }
        try loop.part(ServiceFeature.self).serve(self)
        try loop.part(WebhookDelivery.self).handle(.marksOfEvents) { [self] event in try await markLater(event) }
    }

    package static let routes: [RouteGroup<DeviceCheckPart>] = []

    package func mount(_ routes: inout Routes) throws(RouteError) {
        guard service != nil, process.settings.form.isOn else { return }
        try routes.mount(DeviceCheckPart.formRoutes(at: process.settings.form.path), on: self)
    }

    package func schedule(_ jobs: JobSchedule) {
        jobs.upkeep?.add { [self] in await prune() }
        if process.attest != nil { jobs.upkeep?.add { [self] in await pruneKeys() } }
        if let receipts {
            jobs.every(.seconds(60), budget: .seconds(50), "app_attest.receipts") { budget in
                try await receipts.run(within: budget)
            }
        }
        guard let apple = service as? AppleDeviceService else { return }
        let (gauges, database) = (DeviceGauges(loop.metrics), loop.database)
        jobs.every(.seconds(5), budget: .seconds(5), "device_check.gauges") { _ in gauges.show(apple.access) }
        jobs.every(.seconds(60), budget: .seconds(30), "device_check.waiting") { _ in
            gauges.show(try await database.work(DeviceStatement.waiting()).all())
        }
        jobs.every(.seconds(60), budget: .seconds(30), "device_check.probe") { [process] _ in
            await apple.probeWhenDue(process.settings.environment)
        }
    }

    /// What is kept of a token: nobody can tell by it which device it is of.
    func hash(_ token: DeviceToken) -> Digest32 { token.hash(process.tokenKey, with: hmac) }

    /// Deletes some tokens that are a day old, and claims that nobody has finished; whether there may be more.
    private func prune() async -> Bool {
        do {
            let statement = DeviceStatement.prune(process.settings.claimTime, DeviceCheckPart.batch)
            return try await loop.database.work(statement).first() >= Int(DeviceCheckPart.batch)
        } catch {
            loop.logger.warning("upkeep.prune_failed", [LogField("detail", error.debugDescription)])
            return false
        }
    }

    /// Deletes some challenges that are over, and keys that nobody uses any more; whether there may be more.
    private func pruneKeys() async -> Bool {
        do {
            let statement = AttestStatement.prune(process.settings.attest.keepKeys, DeviceCheckPart.batch)
            return try await loop.database.work(statement).first() >= Int(DeviceCheckPart.batch)
        } catch {
            loop.logger.warning("upkeep.prune_failed", [LogField("detail", error.debugDescription)])
            return false
        }
    }

    private static let batch: Int32 = 500

    /// How long other requests of an account wait for one that talks to Apple: for each call its deadline, and some for the rest.
    static let lease = Duration.seconds(20)
}
