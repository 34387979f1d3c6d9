import Cryptography
import EventIO
import Primitives
import TestKit

/// Certificates of passes and a key in all its forms; all keys are public test keys.
enum PassKeyFiles {
    /// 2026-11-24T19:06:40Z.
    static let time = WallTime(seconds: 1_795_600_000)
    static let passphrase = Secret("sallyport-test")

    static func path(_ name: String) -> String { ProjectFolder.vectors("WalletPassTests") + "/pki/" + name }

    static func bytes(_ name: String) throws -> [UInt8] { try Files.read(path(name)) }

    static func certificate(_ name: String) throws -> X509Certificate { try X509Certificate(bytes(name)) }

    static func key() throws -> RSAPrivateKey { try RSAPrivateKey(pem: Secret(bytes("pass-member.key.pem"))) }
}
