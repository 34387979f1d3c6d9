package import Cryptography
package import Primitives

/// Seals answers that hold tokens under the key or token whose request they answer, so that the database alone gives none away.
///
/// AES-256-GCM; the key is HKDF-SHA256 of the whole text of what was shown, with its id and the client's word as salt,
/// which are authenticated too: a sealed answer that is moved to another row does not open. After a rotation answers of before
/// do not open. The keyring has no part in it: only who shows the key can open the answer. One per loop, not `Sendable`.
package final class AnswerSeal {
    private static let purpose = Array("sallyport/idempotency/1".utf8)

    private let cipher: AES256GCM
    private let mac: HMACSHA256

    /// A seal of a loop.
    ///
    /// - Throws: `failed` where OpenSSL does not offer what it needs.
    package init() throws(CryptographyError) {
        cipher = try AES256GCM()
        mac = try HMACSHA256()
    }

    /// Seals the content of an answer.
    ///
    /// - Parameters:
    ///   - key: The key or token, as the request showed it.
    /// - Throws: `failed` where OpenSSL refuses.
    package func seal(
        _ body: [UInt8],
        for claim: IdempotencyClaim,
        under key: some ShownSecret,
        random: any RandomSource
    ) throws(CryptographyError) -> [UInt8] {
        let context = AnswerSeal.context(of: claim)
        let derived = try derive(key, context)
        return try cipher.seal(body, key: derived, context: context.span, random: random)
    }

    /// Opens the content of an answer.
    ///
    /// - Parameters:
    ///   - key: The key or token, as the repeat showed it.
    /// - Returns: The content, or `nil` where it was sealed under another secret of the key.
    package func open(_ sealed: [UInt8], for claim: IdempotencyClaim, under key: some ShownSecret) -> [UInt8]? {
        let context = AnswerSeal.context(of: claim)
        guard let derived = try? derive(key, context) else { return nil }
        return try? cipher.open(sealed.span, key: derived, context: context.span)
    }

    private func derive(_ key: some ShownSecret, _ context: [UInt8]) throws(CryptographyError) -> Secret<[UInt8]> {
        let secret = Array(key.text.utf8)
        return try HKDFSHA256.derive(
            from: secret.span,
            salt: context.span,
            info: AnswerSeal.purpose,
            count: AES256GCM.keyByteCount,
            using: mac
        )
    }

    private static func context(of claim: IdempotencyClaim) -> [UInt8] {
        claim.key.bytes + Array(claim.text.utf8)
    }
}
