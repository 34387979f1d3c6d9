import AmazonPaySimulator
import Cryptography
import EventIO
import Primitives
import Settings

/// Keys and certificates for development, made once and kept in the data directory.
///
/// A private authority, a certificate for both hosts and the simulator, and the merchant's key pair.
struct DevelopmentKeys: Sendable {
    /// Certificate of the authority, PEM; what clients import.
    let authorityPath: String
    /// Certificate of the servers, PEM.
    let certificatePath: String
    /// Private key of the servers, PEM.
    let keyPath: String
    /// Private key of the merchant, PEM; the broker's half.
    let merchantKeyPath: String
    /// Public key of the merchant, PEM; the simulator's half.
    let merchantPublicKeyPath: String
    /// Folder with the root of the simulated notifications: `root.pem` is what receivers trust, `root.key` the simulator's
    /// half.
    let senderPath: String

    /// What the keys of webhooks are sealed under.
    let merchantSecretPath: String

    /// The merchant that the simulator knows.
    static let merchantID = "A1SALLYPORTDEMO"
    /// The merchant's store.
    static let storeID = "amzn1.application-oa2-client.5a11e9047de7e10b3e0f57ee9a1d0f00"
    /// The name of the merchant's public key.
    static let publicKeyID = "SANDBOX-SALLYPORTDEMOKEY00000001"

    /// The keys in a data directory, made where they are missing.
    ///
    /// They are made in a folder beside and moved into place at once, so that two programs that start together end up with
    /// the same ones.
    ///
    /// - Parameters:
    ///   - random: Supplies serial numbers; keys come from OpenSSL's generator.
    /// - Throws: `ConfigurationError` for a folder that cannot be made, `IOError` or `CryptographyError`.
    static func prepare(in dataDirectory: String, random: any RandomSource) throws -> DevelopmentKeys {
        do throws(IOError) {
            try Files.makeDirectory(dataDirectory, mode: 0o755)
        } catch {
            let what =
                error.code == IOError.exists ? "exists but is not a folder" : "cannot be made: \(error.sentence)"
            throw ConfigurationError(problems: ["data_dir: \(dataDirectory) \(what)"])
        }
        let folder = dataDirectory + "/development"
        try make(folder, random, fill)
        for name in secretNames { try addSecret(name, in: folder) }
        // In a folder of an older version too.
        let sender = folder + "/sender"
        try make(sender, random, fillSender)
        return DevelopmentKeys(
            authorityPath: folder + "/authority.pem",
            certificatePath: folder + "/server.pem",
            keyPath: folder + "/server.key",
            merchantKeyPath: folder + "/merchant.key",
            merchantPublicKeyPath: folder + "/merchant.pem",
            senderPath: sender,
            merchantSecretPath: folder + "/merchant.secret"
        )
    }

    /// The root of the simulated notifications.
    ///
    /// - Throws: `IOError` or `CryptographyError`.
    func senderRoot() throws -> DevelopmentAuthority {
        try DevelopmentAuthority(
            certificatePEM: try Files.read(senderPath + "/root.pem", limit: 65_536),
            keyPEM: Secret(try Files.read(senderPath + "/root.key", limit: 65_536))
        )
    }

    /// Makes a folder where it is missing, whole or not at all.
    private static func make(
        _ folder: String,
        _ random: any RandomSource,
        _ fill: (String, any RandomSource) throws -> Void
    ) throws {
        guard try Files.kind(folder) == nil else { return }
        let draft = folder + "." + Hex.encode(random.bytes(6))
        try Files.makeDirectory(draft, mode: 0o755)
        try fill(draft, random)
        do throws(IOError) {
            try Files.move(draft, to: folder)
        } catch {
            guard try Files.kind(folder) != nil else { throw error }
            try Files.removeTree(draft)
        }
    }

    /// Secrets that the keys of webhooks are sealed under, and that the rows of the audit trail are marked under; and a token
    /// for an administration listener that others can reach.
    private static let secretNames = ["merchant", "trail", "admin"]

    /// Makes the file `NAME.secret` where it is missing, in a folder of an older version too.
    ///
    /// It follows from the merchant's key, so that two programs that start together make the same one.
    private static func addSecret(_ name: String, in folder: String) throws {
        let path = folder + "/\(name).secret"
        guard try Files.kind(path) == nil else { return }
        let key = try Files.read(folder + "/merchant.key", limit: 65_536)
        let secret = try HMACSHA256.tag(of: Array("sallyport development \(name) secret".utf8), key: key)
        try Files.write(path, Array(Hex.encode(secret.bytes).utf8), mode: 0o600)
    }

    private static func fillSender(_ folder: String, _ random: any RandomSource) throws {
        let root = try SimulatorConfiguration.makeSenderRoot(now: SystemClock().now(), random: random)
        try Files.write(folder + "/root.pem", root.certificatePEM, mode: 0o644)
        try Files.write(folder + "/root.key", root.keyPEM.reveal(), mode: 0o600)
    }

    private static func fill(_ folder: String, _ random: any RandomSource) throws {
        let now = SystemClock().now()
        let names = CertificateName.loopback + [.host("simulators")]
        let authority = try DevelopmentAuthority.make(
            name: "Sallyport development authority",
            permitting: names,
            now: now,
            random: random
        )
        let server = try authority.issue(for: names, now: now, random: random)
        let merchant = try RSAPrivateKey.generatePEM()
        try Files.write(folder + "/authority.pem", authority.certificatePEM, mode: 0o644)
        try Files.write(folder + "/authority.key", authority.keyPEM.reveal(), mode: 0o600)
        try Files.write(folder + "/server.pem", server.certificatePEM + authority.certificatePEM, mode: 0o644)
        try Files.write(folder + "/server.key", server.keyPEM.reveal(), mode: 0o600)
        try Files.write(folder + "/merchant.key", merchant.privateKey.reveal(), mode: 0o600)
        try Files.write(folder + "/merchant.pem", merchant.publicKey, mode: 0o644)
    }
}
