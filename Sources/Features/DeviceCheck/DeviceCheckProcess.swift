import Cryptography
import DeviceAttestation
import EventIO
import Operations
import Primitives
package import ServerCore
import Settings
import Telemetry
import Web

/// Devices once per process: policies, limits, and the key under which tokens are known again.
package final class DeviceCheckProcess: FeatureProcess {
    let settings: DeviceCheckSettings
    /// Requests by account, and those of apps by address.
    let accounts: KeyRateLimit
    let addresses: AddressRateLimit
    /// Posts of apps that show no account, all together.
    let posts: KeyRateLimit
    /// Of the hashes of device tokens.
    let tokenKey: Secret<[UInt8]>
    /// What opens Apple's service; `nil` where it is not asked.
    let apple: AppleDeviceAccess?
    /// Judges keys of apps; `nil` where none are taken.
    let attest: AppAttestationVerifier?
    /// Judges receipts; `nil` where Apple is not asked for any.
    let receipts: AttestReceiptVerifier?
    let workers: Workers
    /// Assertions that were refused where no account is known, by address.
    let strangers: AddressRateLimit
    private let rules: Lock<DevicePolicies>
    private let logger: Logger

    init(_ settings: DeviceCheckSettings, _ process: ProcessContext) throws {
        guard let keyring = process.keyring, let key = try keyring.keys(for: "device-token")[keyring.newest] else {
            throw ConfigurationError(problems: [
                "\(KeyringFile.setting): not set, and device tokens are kept as hashes under a key of it"
            ])
        }
        self.settings = settings
        logger = process.logger
        try settings.apple.checkTrust()
        tokenKey = key
        apple = settings.apple.isOn ? AppleDeviceAccess(try settings.apple.tokens()) : nil
        attest = try settings.attest.verifier()
        receipts = settings.receipts.isOn ? try settings.receipts.verifier() : nil
        workers = process.workers
        strangers = AddressRateLimit(perMinute: process.unknownPerMinute)
        accounts = KeyRateLimit(perMinute: settings.accountRate)
        addresses = AddressRateLimit(perMinute: settings.addressRate)
        posts = KeyRateLimit(perMinute: settings.form.rate)
        rules = Lock(try DevicePolicies.read(settings))
    }

    /// The policies of now.
    var policies: DevicePolicies { rules.withLock { $0 } }

    package func open(_ loop: LoopContext) throws -> DeviceCheckPart { try DeviceCheckPart(self, loop) }

    /// Reads policies and key again; where one of them is wrong, nothing changes.
    package func reload() throws {
        let read = try DevicePolicies.read(settings)
        if let apple { apple.replace(try settings.apple.tokens()) }
        rules.withLock { $0 = read }
        let fields = [LogField("policies", read.policies.count), LogField("version", read.version)]
        logger.info("device_check.reloaded", fields)
    }

    package var retentions: [Retention] { [Retention("device_history", keep: settings.keepHistory)] }
}

extension DevicePolicies {
    /// The policies that settings name.
    ///
    /// - Throws: All that is wrong with them, or with what they are wanted for.
    static func read(_ settings: DeviceCheckSettings) throws(ConfigurationError) -> DevicePolicies {
        let policies = try read(path: settings.policies)
        try policies.check(settings.form)
        return policies
    }

    /// The policies of a file, or the usual ones where there is no path.
    ///
    /// - Throws: All that is wrong with the file.
    static func read(path: String) throws(ConfigurationError) -> DevicePolicies {
        guard !path.isEmpty else { return .usual }
        let content: [UInt8]
        do {
            content = try Files.read(path)
        } catch {
            throw ConfigurationError(problems: ["device_check.policies: \(path) cannot be read: \(error.sentence)"])
        }
        do throws(DevicePolicyError) {
            return try read(content)
        } catch {
            throw ConfigurationError(problems: error.problems.map { "device_check.policies: \(path): \($0)" })
        }
    }
}
