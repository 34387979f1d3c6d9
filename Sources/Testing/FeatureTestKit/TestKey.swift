import Cryptography
import EventIO
import Primitives
import TestKit

/// The key that signs in the account's name, made once for the process.
enum TestKey {
    private static let made = Result { () throws -> String in
        let path = try ProcessFolder.makeFolder("key") + "/key.pem"
        try Files.write(path, try RSAPrivateKey.generatePEM().privateKey.reveal(), mode: 0o600)
        return path
    }

    /// Where it lies.
    static func path() throws -> String { try made.get() }
}
