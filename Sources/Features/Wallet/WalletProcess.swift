import Cryptography
import EventIO
package import Operations
import Postgres
import Primitives
package import ServerCore
import Settings
import StrictJSON
import Telemetry
import WalletPass
import Web

/// Passes once per process: templates, certificates, finished files, limits.
package final class WalletProcess: FeatureProcess {
    let settings: WalletSettings
    let files: PassFiles
    let recorder = FetchRecorder()
    let certificateEnds: PassCertificateEnds
    let limits: WalletLimits
    let pushes: PushProcess
    let keyring: Keyring
    let web: WebOrigin
    private let logger: Logger
    /// Whether the database knows the templates of now.
    private let isNoted = Lock(false)

    init(_ settings: WalletSettings, _ process: ProcessContext) throws {
        guard let keyring = process.keyring else {
            throw ConfigurationError(problems: [
                "\(KeyringFile.setting): not set, and the tokens of passes are derived from it"
            ])
        }
        self.settings = settings
        self.keyring = keyring
        web = process.web
        logger = process.logger
        limits = WalletLimits(settings)
        let stock = PassStock(settings, at: SystemClock().now())
        files = PassFiles(stock, cacheSize: settings.cacheSize, process.workers, process.metrics)
        pushes = try PushProcess(settings.push, stock.credentials)
        certificateEnds = PassCertificateEnds(process.metrics)
        certificateEnds.show(stock)
        report(stock)
    }

    private func report(_ stock: PassStock) {
        for problem in stock.problems { logger.error("wallet.unusable", [LogField("detail", problem.line)]) }
        for warning in stock.warnings { logger.warning("wallet.warning", [LogField("detail", warning.line)]) }
    }

    package func prepare(_ loop: LoopContext) async throws {
        _ = try await loop.database.work(UpkeepStatement.raiseTags(Int64(settings.tagFloor)))
        try await note(loop.database)
    }

    /// Tells the database what the templates are, unless it knows.
    func note(_ database: PostgresClient) async throws {
        guard !isNoted.withLock({ $0 }) else { return }
        isNoted.withLock { $0 = true }
        do {
            try await noteTemplates(database)
        } catch {
            isNoted.withLock { $0 = false }
            throw error
        }
    }

    private func noteTemplates(_ database: PostgresClient) async throws {
        for template in files.current.usable {
            let names = JSONValue.array(template.placeholders.map(JSONValue.string)).description
            let looks = SHA256.digest(of: template.digest.bytes + Array(settings.webServiceURL(web).utf8))
            _ = try await database.work(UpkeepStatement.setTemplate(template.name, template.passType, looks, names))
        }
    }

    package func open(_ loop: LoopContext) throws -> WalletPart { try WalletPart(self, loop) }

    /// Reads templates and certificates again; what is wrong now stays as it was.
    package func reload() throws {
        let read = PassStock(settings, at: SystemClock().now())
        files.current = read.completed(by: files.current)
        isNoted.withLock { $0 = false }
        certificateEnds.show(files.current)
        report(read)
        try pushes.replace(files.current.credentials)
        guard read.problems.isEmpty else { throw ConfigurationError(problems: read.problems.map(\.line)) }
        let fields = [LogField("templates", read.templates.count), LogField("pass_types", read.signers.count)]
        logger.info("wallet.reloaded", fields)
    }

    package var health: Health {
        let problems = files.current.problems
        guard let first = problems.first else { return pushes.health }
        return .degraded(first.line + (problems.count > 1 ? " (and \(problems.count - 1) more)" : ""))
    }

    package var retentions: [Retention] {
        [
            Retention("wallet_history", keep: settings.keepHistory),
            Retention("wallet_device_log", keep: settings.keepLogs),
        ]
    }
}
