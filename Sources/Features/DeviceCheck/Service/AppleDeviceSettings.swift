import Cryptography
import DeviceAttestation
import EventIO
import HTTPClient
import Primitives
import Settings

/// How Apple's DeviceCheck service is asked.
struct AppleDeviceSettings: Sendable {
    let teamID: String
    let keyID: String
    let keyPath: String
    let trustPath: String
    private let productionURL: String
    private let developmentURL: String

    init(_ read: inout SettingReader, teamID: String) {
        self.teamID = teamID
        keyID = read.text(
            "device_check.key_id",
            "",
            "id of device_check.private_key; empty: as the name of its file says, AuthKey_ID.p8",
            takes: "key id"
        )
        keyPath = read.secretFile(
            "device_check.private_key",
            "key (.p8) of the team with DeviceCheck switched on; empty: Apple is not asked about devices"
        )
        productionURL = read.deviceService(
            "device_check.production_url",
            "https://api.devicecheck.apple.com",
            "apps of the App Store and TestFlight"
        )
        developmentURL = read.deviceService(
            "device_check.development_url",
            "https://api.development.devicecheck.apple.com",
            "apps that are signed for development"
        )
        trustPath = read.file(
            "device_check.api_trust",
            "PEM file: the only authorities of Apple's DeviceCheck service; empty for the machine's"
        )
        guard isOn else { return }
        if teamID.isEmpty { read.complain("device_check.private_key", "set, and device_check.team_id is not") }
        if currentKeyID == nil {
            read.complain(
                "device_check.key_id",
                "not set, and the file of device_check.private_key is not called AuthKey_ID.p8"
            )
        }
    }

    /// Whether Apple is asked.
    var isOn: Bool { !keyPath.isEmpty }

    /// Where an environment is asked.
    func base(of environment: DeviceEnvironment) -> String {
        switch environment {
        case .production: productionURL
        case .development: developmentURL
        }
    }

    /// The id of the key: that of the settings, or the one in the name of the file that the path leads to now.
    private var currentKeyID: String? { keyID.isEmpty ? AppleKeyName.id(at: keyPath, as: [.auth]) : keyID }

    /// What makes bearer tokens, with the key as its file is now.
    ///
    /// - Throws: What is wrong with the key, without its content.
    func tokens() throws(ConfigurationError) -> DeviceBearerTokenMaker {
        let pem = Secret(try SecretFile.read(keyPath, "device_check.private_key"))
        guard let id = currentKeyID else {
            throw ConfigurationError(problems: ["device_check.private_key: \(keyPath): not called AuthKey_ID.p8"])
        }
        do throws(CryptographyError) {
            return DeviceBearerTokenMaker(key: try ES256PrivateKey(pem: pem), keyID: id, teamID: teamID)
        } catch {
            throw ConfigurationError(problems: ["device_check.private_key: \(keyPath): \(error.detail)"])
        }
    }

    /// Reads the authorities of Apple's service, which the clients open with each connection.
    ///
    /// - Throws: What is wrong with the file.
    func checkTrust() throws(ConfigurationError) {
        guard isOn, !trustPath.isEmpty else { return }
        let problem: String
        do {
            _ = try X509Certificate.list(try Files.read(trustPath, limit: 1 << 20))
            return
        } catch let error as IOError {
            problem = " cannot be read: \(error.sentence)"
        } catch let error as CryptographyError {
            problem = ": \(error.detail)"
        } catch { problem = ": \(error)" }
        throw ConfigurationError(problems: ["device_check.api_trust: \(trustPath)\(problem)"])
    }

    /// The client of an environment: one that hangs does not hold up the other.
    func purpose(_ environment: DeviceEnvironment) -> OutboundPurpose {
        var configuration = ClientConfiguration()
        if !trustPath.isEmpty { configuration.trust = .file(path: trustPath) }
        configuration.version = .http2
        configuration.connectTimeout = .seconds(2)
        configuration.bodyLimit = 16 << 10
        return OutboundPurpose("device_check_\(environment.rawValue)", configuration)
    }
}

extension SettingReader {
    fileprivate mutating func deviceService(_ name: String, _ fallback: String, _ apps: String) -> String {
        let text = text(
            name,
            fallback,
            "address of Apple's DeviceCheck service for \(apps), without a slash at its end",
            takes: "address"
        )
        let isGood = HTTPURL(text).map { $0.isSecure || $0.host.isLoopback } ?? false
        if !isGood || text.hasSuffix("/") { complain(name, "not an https address such as \(fallback)") }
        return text
    }
}
