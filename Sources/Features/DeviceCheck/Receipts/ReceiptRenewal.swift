import DeviceAttestation
import EventIO
import Operations
import Postgres
import Primitives
import ServerCore
import Telemetry
import Web

/// Asks Apple how many keys devices have had attested, in exchange for the receipt that each key has; one for each loop.
///
/// Not `Sendable`.
final class ReceiptRenewal {
    private let service: AppleReceiptService
    private let verifier: AttestReceiptVerifier
    private let settings: DeviceCheckSettings
    private let workers: Workers
    private let loop: LoopContext
    private let metrics: ReceiptMetrics

    /// Keys that are taken at a time.
    static let keysAtOnce: Int32 = 20
    /// Keys of a run at most, so that nobody asks Apple without end.
    private static let mostKeys = 400
    /// How long nobody else asks about them: more than as many calls take, each with a second try.
    private static let lease = Duration.seconds(900)
    /// Where Apple has nothing about a device: it may have again, but not because of this key.
    private static let noDataPause = Duration.seconds(7 * 86_400)
    /// Where the service does not work, and does not say for how long.
    private static let laterPause = Duration.seconds(900)

    /// `nil` where Apple is not asked.
    ///
    /// - Parameter service: `nil` for the one of the settings.
    init?(_ process: DeviceCheckProcess, _ loop: LoopContext, asking service: AppleReceiptService? = nil) {
        guard let access = process.apple, let verifier = process.receipts else { return nil }
        settings = process.settings
        let purpose = settings.receipts.purpose(settings.apple)
        self.service =
            service ?? AppleReceiptService(at: settings.receipts.url, access, over: loop.client(purpose), loop)
        self.verifier = verifier
        workers = process.workers
        self.loop = loop
        metrics = ReceiptMetrics(loop.metrics)
    }

    /// Asks about keys that are due; what another process has taken is left to it.
    func run(within budget: RunBudget) async throws {
        var left = ReceiptRenewal.mostKeys
        while left > 0, !budget.isSpent, try await renewSome() { left -= Int(ReceiptRenewal.keysAtOnce) }
    }

    /// Asks about some keys that are due; whether there may be more that can be asked about now.
    func renewSome() async throws -> Bool {
        let world = settings.attest.environment.rawValue
        let take = ReceiptStatement.take(world, ReceiptRenewal.keysAtOnce, ReceiptRenewal.lease)
        let keys = try await loop.database.work(take).all()
        var stop: Duration?
        for key in keys {
            if let stop {
                try await end(key, nil, after: stop)
            } else {
                stop = try await renew(key)
            }
        }
        return keys.count == Int(ReceiptRenewal.keysAtOnce) && stop == nil
    }

    /// Asks about a key.
    ///
    /// - Returns: How long nobody is to be asked about, where the answer says nothing of this key alone.
    private func renew(_ due: DueReceipt) async throws -> Duration? {
        guard let key = AttestedKey(point: due.point),
            let app = settings.attest.apps.first(where: { $0.text.octets == due.app.octets })
        else {
            // Of an app that is not the shop's any more.
            try await end(due, nil, after: ReceiptRenewal.noDataPause)
            return nil
        }
        let reply = await service.renew(due.receipt)
        metrics.count(reply)
        switch reply.answer {
        case .receipt(let bytes):
            let receipt = try await judge(bytes, key, app)
            try await end(due, receipt.map { ($0, bytes) }, after: settings.receipts.pause)
            return nil
        case .early: try await end(due, nil, after: settings.receipts.pause)
        case .noData: try await end(due, nil, after: max(settings.receipts.pause, ReceiptRenewal.noDataPause))
        // Of this receipt, or of all: the next one shows it, and is not asked about before long.
        case .badRequest: try await end(due, nil, after: settings.receipts.pause)
        case .credentials, .throttled, .unavailable, .unreadable:
            let pause = max(reply.retryAfter ?? .zero, ReceiptRenewal.laterPause)
            try await end(due, nil, after: pause)
            return pause
        }
        return nil
    }

    /// A receipt that is believed: of this key and app, of now, and signed for Apple.
    private func judge(_ bytes: [UInt8], _ key: AttestedKey, _ app: AttestedApp) async throws -> AttestReceipt? {
        let (verifier, environment, now) = (verifier, settings.attest.environment, loop.reactor.wallNow)
        let verdict = try await workers.run(.bulk) { () -> Result<AttestReceipt, AttestRefusal> in
            Result { () throws(AttestRefusal) in
                try verifier.verify(bytes, key: key, app: app, environment: environment, at: now)
            }
        }
        do throws(AttestRefusal) {
            let receipt = try verdict.get()
            guard receipt.kind == .exchange else { throw .field }
            return receipt
        } catch {
            metrics.countRefused()
            loop.logger.warning("app_attest.receipt_refused", [LogField("step", error.rawValue)])
            return nil
        }
    }

    private func end(
        _ due: DueReceipt,
        _ fresh: (receipt: AttestReceipt, bytes: [UInt8])?,
        after pause: Duration
    ) async throws {
        let statement = ReceiptStatement.end(
            due.keyID,
            due.asked,
            fresh?.bytes,
            fresh?.receipt.riskMetric.map { Int32(clamping: $0) },
            fresh?.receipt.notBefore,
            pause
        )
        _ = try await loop.database.work(statement).first()
    }
}
