import Cryptography
import EventIO
import Postgres
import Primitives
import StrictJSON

/// A code with which the next device of an account is reset, for support that has heard its owner.
struct ResetCode {
    /// As the owner is told it.
    let text: String

    /// How long it works.
    private static let life = Duration.seconds(900)
    /// Letters and digits that nobody mistakes for each other; 32, so that each is five bits.
    private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8)

    /// Ten characters, of fifty bits: they work for minutes, and requests are counted.
    init(_ random: any RandomSource) {
        let letters = (0..<10).map { _ in
            ResetCode.alphabet[Int(random.number(byteCount: 1)) % ResetCode.alphabet.count]
        }
        text = String(decoding: letters, as: UTF8.self)
    }

    /// What is kept of a code.
    static func digest(of text: String) -> Digest32 { SHA256.digest(of: Array(text.utf8)) }

    /// Keeps it in place of one before.
    ///
    /// - Returns: What support is told; `nil` for an account that is erased or unknown.
    func keep(
        for account: UUIDBytes,
        by name: String,
        reason: String,
        in database: PostgresClient
    ) async throws -> JSONValue? {
        let digest = ResetCode.digest(of: text)
        let statement = DeviceStatement.resetCode(account, digest, name, reason, ResetCode.life)
        guard try await database.write(statement, key: account).first() else { return nil }
        return [
            "object": "deviceResetCode", "accountId": .string(account.description), "code": .string(text),
            "expiresIn": JSONValue(Int(ResetCode.life.components.seconds)),
        ]
    }
}
