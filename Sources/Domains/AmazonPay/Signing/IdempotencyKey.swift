import Cryptography
package import Primitives

/// Marks a request so that its repeat has no further effect: 1 to 32 characters of `A-Z a-z 0-9 - _`.
///
/// The service keeps keys for ever, per merchant account.
package struct IdempotencyKey: Sendable, Hashable {
    /// As it goes into `x-amz-pay-idempotency-key`.
    package let text: String

    /// A key, or `nil` where the text is none.
    ///
    /// - Parameter text: A UUID with its dashes is too long.
    package init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= 32, text.utf8.allSatisfy(Base64URL.contains) else { return nil }
        self.text = text
    }

    /// The key of one step of one attempt of one webview session: the same at every repeat, on every machine.
    ///
    /// The first 32 hexadecimal digits of SHA-256 over `sallyport/ref/1`, the 16 bytes of the webview session's id, the step,
    /// and the attempt in decimal digits.
    ///
    /// - Parameters:
    ///   - attempt: Counts the tries to pay that the provider has refused or that had no effect; never a recovery.
    ///   - step: Letters only, for example `complete`, so that it cannot run into the attempt.
    /// - Returns: 32 characters of `[0-9a-f]`.
    package static func derive(webviewSession: UUIDBytes, attempt: Int, step: StaticString) -> IdempotencyKey {
        var octets: [UInt8] = []
        octets.reserveCapacity(64)
        octets.append(contentsOf: "sallyport/ref/1".utf8)
        webviewSession.append(to: &octets)
        octets.append(contentsOf: "\(step)\(attempt)".utf8)
        return IdempotencyKey(of: octets)
    }

    /// The key of a payment that a merchant's program asks for: the same at every repeat of the request, whatever was lost in
    /// between.
    ///
    /// The first 32 hexadecimal digits of SHA-256 over `sallyport/ref/2`, the 16 bytes of the account's scope and of the
    /// webview session's id, and step, target and word with line feeds between them. The octets of the request are not part of
    /// it: the service refuses others.
    ///
    /// - Parameters:
    ///   - step: What is done, letters only.
    ///   - target: The service's id of what it is done to.
    ///   - word: The `Idempotency-Key` of the request.
    /// - Returns: 32 characters of `[0-9a-f]`.
    package static func derive(
        scope: UUIDBytes,
        webviewSession: UUIDBytes,
        step: StaticString,
        target: String,
        word: String
    ) -> IdempotencyKey {
        let octets =
            Array("sallyport/ref/2".utf8) + scope.bytes + webviewSession.bytes
            + Array("\(step)\n\(target)\n\(word)".utf8)
        return IdempotencyKey(of: octets)
    }

    private init(of octets: [UInt8]) {
        text = String(SHA256.digest(of: octets).hexadecimal.prefix(32))
    }
}
