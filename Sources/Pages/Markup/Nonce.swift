package import Primitives

/// The once-only word that ties the scripts of one response to its content security policy.
package struct Nonce: Sendable {
    /// 22 characters of `[A-Za-z0-9_-]`.
    let characters: [UInt8]

    /// The word for the policy, 22 characters of `[A-Za-z0-9_-]`.
    package var text: String { String(decoding: characters, as: UTF8.self) }

    /// Draws a fresh word; one for each response.
    ///
    /// - Parameter random: Gives 16 bytes.
    package init(random: some RandomSource) {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(22)
        Base64URL.append(random.bytes(16).span, to: &encoded)
        characters = encoded
    }
}
