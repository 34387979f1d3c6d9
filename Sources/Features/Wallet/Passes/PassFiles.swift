import Cryptography
import EventIO
import Primitives
import ServerCore
import StrictJSON
import Telemetry
import WalletPass
import Web

/// The files of passes: each version is built when it is asked for first, on the thread that signs, and kept for a while.
///
/// One for all loops of a process.
final class PassFiles: Sendable {
    private let workers: Workers
    private let cache: Lock<PassCache>
    private let stock: Lock<PassStock>
    /// How many files were made.
    let built: Counter

    /// Files that are made of what is in stock.
    ///
    /// - Parameter cacheSize: In bytes.
    init(_ stock: PassStock, cacheSize: Int, _ workers: Workers, _ metrics: MetricsRegistry) {
        self.workers = workers
        self.stock = Lock(stock)
        cache = Lock(PassCache(byteCount: cacheSize))
        built = metrics.counter(
            "sallyport_wallet_passes_built_total",
            help: "Files of passes that were built and signed."
        )
    }

    /// The templates and certificates of now.
    var current: PassStock {
        get { stock.withLock { $0 } }
        set { stock.withLock { $0 = newValue } }
    }

    /// The file of a version.
    ///
    /// - Parameter webService: Of this pass; a last version is made without.
    /// - Throws: `unavailable` where template or certificate are missing, or too much waits.
    func file(_ pass: PassVersion, _ webService: PassWebService) async throws(Failure) -> [UInt8] {
        let stock = current
        guard let template = stock.templates[pass.template.octets], let signer = stock.signers[pass.passType.octets]
        else {
            throw Failure(.unavailable, "wallet: no template or certificate for \(pass.passType)", retryAfter: 300)
        }
        let name = PassFileName(pass, template: template.digest, certificate: signer.certificateDigest)
        if let file = cache.withLock({ $0.file(name) }) { return file }
        return try await workers.run(.sign) { [self] () -> Result<[UInt8], Failure> in
            // One thread: whoever waited behind a request for the same version finds it here.
            if let file = cache.withLock({ $0.file(name) }) { return .success(file) }
            do {
                let file = try PassFiles.build(pass, webService, template, signer)
                built.increment()
                cache.withLock { $0.insert(file, name) }
                return .success(file)
            } catch {
                return .failure(Failure(.internalError, "wallet: \(error)"))
            }
        }.get()
    }

    /// Some finished passes in one file.
    func bundle(_ passes: [PassFile]) async throws(Failure) -> [UInt8] {
        try await workers.run(.bulk) { () -> Result<[UInt8], Failure> in
            do throws(PassPackageError) {
                return .success(try PassBundle.package(passes, at: SystemClock().now()))
            } catch {
                return .failure(Failure(.internalError, "wallet: \(error)"))
            }
        }.get()
    }

    private static func build(
        _ pass: PassVersion,
        _ webService: PassWebService,
        _ template: PassTemplate,
        _ signer: PassSigner
    ) throws -> [UInt8] {
        let content = try template.content(
            PassValues(
                serialNumber: pass.serial,
                fields: try PassFields.read(pass.content),
                webService: pass.isFinal ? nil : webService,
                isFinal: pass.isFinal
            )
        )
        return try signer.package(template, content, at: SystemClock().now())
    }
}

/// The content of a pass as it is stored, and as a template takes it.
enum PassFields {
    /// Texts and whole numbers by their names.
    ///
    /// - Throws: `JSONError` for what is no object of these.
    static func read(_ content: [UInt8]) throws -> [String: PassValue] {
        var fields: [String: PassValue] = [:]
        for member in try JSONParser.parse(content, depth: 2).members {
            if let text = member.value.text {
                fields[member.name] = .text(text)
            } else if let integer = member.value.integer {
                fields[member.name] = .integer(Int64(integer))
            }
        }
        return fields
    }
}
