import Cryptography
import Foundation
import Primitives

/// Reads the files under `Vectors`.
enum JOSEVectors {
    /// 2025-06-15T09:00:00Z, when `store-transaction.jws` was signed.
    static let signed = WallTime(seconds: 1_749_978_000)

    static func bytes(_ name: String) throws -> [UInt8] {
        let folder = Bundle.module.bundleURL.appendingPathComponent("Vectors")
        return Array(try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    static func certificate(_ name: String) throws -> X509Certificate {
        try X509Certificate(der: bytes(name + ".der"))
    }

    /// Certificates as a header has them.
    static func x5c(_ names: String...) throws -> [String] { try names.map { Base64.encode(try bytes($0 + ".der")) } }
}
