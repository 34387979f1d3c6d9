import Cryptography
import DeviceAttestation
import EventIO
import HTTPClient
import HTTPCore
import Primitives
import Settings

/// What the settings say of the receipts that Apple exchanges for newer ones.
struct ReceiptSettings: Sendable {
    /// Where they are exchanged.
    let url: String
    /// The file of the authorities that sign them; empty for Apple's.
    let trustPath: String
    /// Apple is asked about a key again after so long.
    let pause: Duration
    /// Whether Apple is asked.
    let isOn: Bool

    private static let address = "app_attest.receipt_url"
    private static let trust = "app_attest.receipt_trust"

    init(_ read: inout SettingReader, attest: AttestSettings, apple: AppleDeviceSettings) {
        let isWanted = read.flag(
            "app_attest.receipts",
            true,
            "ask Apple from time to time how many keys each device has had attested; it takes device_check.private_key"
        )
        let usual: String
        switch attest.environment {
        case .production: usual = "https://data.appattest.apple.com"
        case .development: usual = "https://data-development.appattest.apple.com"
        }
        let text = read.text(
            ReceiptSettings.address,
            "",
            "address where receipts are exchanged, without a slash at its end; empty: Apple's of app_attest.environment",
            takes: "address"
        )
        url = text.isEmpty ? usual : text
        trustPath = read.file(
            ReceiptSettings.trust,
            "PEM file: the only authorities that sign receipts, for a simulator; empty for Apple's, which is built in"
        )
        pause = read.duration(
            "app_attest.receipt_pause",
            86_400...2_592_000,
            .seconds(86_400),
            "how long Apple is not asked about a key again; a day at least"
        )
        isOn = isWanted && attest.isOn && apple.isOn
        let isGood = HTTPURL(url).map { $0.isSecure || $0.host.isLoopback } ?? false
        if !isGood || url.hasSuffix("/") {
            read.complain(ReceiptSettings.address, "not an https address such as \(usual)")
        }
    }

    /// What judges receipts.
    ///
    /// - Throws: What is wrong with the file of the authorities.
    func verifier() throws(ConfigurationError) -> AttestReceiptVerifier {
        AttestReceiptVerifier(roots: try roots())
    }

    private func roots() throws(ConfigurationError) -> [X509Certificate] {
        let content = trustPath.isEmpty ? nil : try content()
        do throws(CryptographyError) {
            guard let content else { return [try AppleReceiptRoot.certificate()] }
            return try X509Certificate.list(content)
        } catch {
            throw ConfigurationError(problems: ["\(ReceiptSettings.trust): \(trustPath): \(error.detail)"])
        }
    }

    private func content() throws(ConfigurationError) -> [UInt8] {
        do throws(IOError) {
            return try Files.read(trustPath, limit: 1 << 20)
        } catch {
            throw ConfigurationError(problems: [
                "\(ReceiptSettings.trust): \(trustPath) cannot be read: \(error.sentence)"
            ])
        }
    }

    /// The client of the service.
    func purpose(_ apple: AppleDeviceSettings) -> OutboundPurpose {
        var configuration = ClientConfiguration()
        if !apple.trustPath.isEmpty { configuration.trust = .file(path: apple.trustPath) }
        configuration.version = .http2
        configuration.connectTimeout = .seconds(2)
        configuration.bodyLimit = 64 << 10
        return OutboundPurpose("app_attest_receipts", configuration)
    }
}
