import Cryptography
import EventIO
import Primitives
import ServerCore
import Settings
import SimulatorCore

/// Keys and certificates for development, made once and kept in the data directory: a private authority, a certificate for both
/// hosts and the simulators, the secrets of the features and the files of the simulated systems.
struct DevelopmentKeys: Sendable {
    /// Where all of them are.
    let folder: String
    /// Certificate of the authority, PEM; what clients import.
    var authorityPath: String { folder + "/authority.pem" }
    /// Certificate of the servers, PEM.
    var certificatePath: String { folder + "/server.pem" }
    /// Private key of the servers, PEM.
    var keyPath: String { folder + "/server.key" }

    /// Those of a data directory, whether they are there or not.
    init(in dataDirectory: String) {
        folder = dataDirectory + "/development"
    }

    /// The keys in a data directory, made where they are missing.
    ///
    /// They are made in a folder beside and moved into place at once, so that two programs that start together end up with
    /// the same ones.
    ///
    /// - Parameters:
    ///   - random: Supplies serial numbers and secrets; keys come from OpenSSL's generator.
    /// - Throws: `ConfigurationError` for a folder that cannot be made, `IOError` or `CryptographyError`.
    static func prepare(in dataDirectory: String, random: any RandomSource) throws -> DevelopmentKeys {
        do throws(IOError) {
            try Files.makeDirectory(dataDirectory, mode: 0o755)
        } catch {
            let what =
                error.code == IOError.exists ? "exists but is not a folder" : "cannot be made: \(error.sentence)"
            throw ConfigurationError(problems: ["data_dir: \(dataDirectory) \(what)"])
        }
        let keys = DevelopmentKeys(in: dataDirectory)
        guard try Files.kind(keys.folder) == nil else { return keys }
        let draft = keys.folder + "." + Hex.encode(random.bytes(6))
        try Files.makeDirectory(draft, mode: 0o755)
        try fill(draft, random)
        do throws(IOError) {
            try Files.move(draft, to: keys.folder)
        } catch {
            guard try Files.kind(keys.folder) != nil else { throw error }
            try Files.removeTree(draft)
        }
        return keys
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
        try Files.write(folder + "/authority.pem", authority.certificatePEM, mode: 0o644)
        try Files.write(folder + "/authority.key", authority.keyPEM.reveal(), mode: 0o600)
        try Files.write(folder + "/server.pem", server.certificatePEM + authority.certificatePEM, mode: 0o644)
        try Files.write(folder + "/server.key", server.keyPEM.reveal(), mode: 0o600)
        // A token for an administration listener that others can reach, beside what features ask for.
        for name in FeatureList.all.demoSecrets.union(["admin"]) {
            try Files.write(folder + "/\(name).secret", Array(Hex.encode(random.bytes(32)).utf8), mode: 0o600)
        }
        for file in FeatureList.all.demoFiles {
            try Files.write(folder + "/\(file.name).secret", file.make(random), mode: 0o600)
        }
        for system in FeatureList.simulators { try system.makeFiles(in: folder, random: random) }
    }
}
