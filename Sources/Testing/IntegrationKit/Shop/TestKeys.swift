import Cryptography
import EventIO
import Primitives
import TestKit

/// Keys and certificates that all tests of this process share; made at the first use, gone with the process.
package struct TestKeys: Sendable {
    /// Certificate of the authority that test clients believe, PEM.
    package let authorityPath: String
    /// Certificate of every test server, PEM.
    package let certificatePath: String
    /// Its private key, PEM.
    package let keyPath: String
    /// The merchant's private key, PEM.
    package let merchantKeyPath: String
    /// The merchant's public key, PEM.
    package let merchantPublicKey: String

    private static let shared = Lock<TestKeys?>(nil)

    /// The keys, the same ones at every call.
    package static func get() throws -> TestKeys {
        try shared.withLock { keys in
            if let keys { return keys }
            let made = try make()
            keys = made
            return made
        }
    }

    /// Copies of the files in a folder, which a server of another user can be given.
    func copied(to folder: String) throws -> TestKeys {
        func copy(_ path: String) throws -> String {
            let copy = folder + "/" + path.split(separator: "/").suffix(1).joined()
            try Files.write(copy, try Files.read(path), mode: 0o600)
            return copy
        }
        return TestKeys(
            authorityPath: try copy(authorityPath),
            certificatePath: try copy(certificatePath),
            keyPath: try copy(keyPath),
            merchantKeyPath: try copy(merchantKeyPath),
            merchantPublicKey: merchantPublicKey
        )
    }

    private static func make() throws -> TestKeys {
        let folder = try ProcessFolder.makeFolder("keys")
        let now = SystemClock().now()
        let random = KernelRandom()
        let authority = try DevelopmentAuthority.make(
            name: "Test authority",
            permitting: CertificateName.loopback,
            now: now,
            random: random
        )
        let server = try authority.issue(for: CertificateName.loopback, now: now, random: random)
        let merchant = try RSAPrivateKey.generatePEM()
        let files: [(String, [UInt8])] = [
            ("authority.pem", authority.certificatePEM), ("server.pem", server.certificatePEM),
            ("server.key", server.keyPEM.reveal()), ("merchant.key", merchant.privateKey.reveal()),
        ]
        for (name, bytes) in files { try Files.write("\(folder)/\(name)", bytes, mode: 0o600) }
        return TestKeys(
            authorityPath: folder + "/authority.pem",
            certificatePath: folder + "/server.pem",
            keyPath: folder + "/server.key",
            merchantKeyPath: folder + "/merchant.key",
            merchantPublicKey: String(decoding: merchant.publicKey, as: UTF8.self)
        )
    }
}
