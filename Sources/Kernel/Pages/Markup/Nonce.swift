package import Primitives

/// The once-only word that ties the scripts of one response to its content security policy.
package struct Nonce: Sendable {
    private let characters: InlineArray<22, UInt8>

    /// The number of characters of every word.
    package static let characterCount = 22

    /// The word for the policy, 22 characters of `[A-Za-z0-9_-]`.
    package var text: String {
        String(ascii: Nonce.characterCount) { room in append(to: &room) }
    }

    /// Draws a fresh word; one for each response.
    ///
    /// - Parameter random: Gives 16 bytes.
    package init(random: any RandomSource) {
        let bytes = InlineArray<16, UInt8>(initializingWith: { room in
            room.append(bigEndian: random.number(byteCount: 8))
            room.append(bigEndian: random.number(byteCount: 8))
        })
        characters = InlineArray(initializingWith: { room in Base64URL.append(bytes.span, to: &room) })
    }

    /// Appends all 22 characters.
    ///
    /// - Parameter output: Grows by 22 characters; has room for them.
    package func append(to output: inout OutputSpan<UInt8>) {
        output.append(copying: characters.span)
    }
}
