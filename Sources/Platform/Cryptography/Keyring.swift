package import Primitives

/// Numbered secrets that all processes of a deployment share: the one with the highest number seals, each of them opens.
///
/// As a file it is one line for each secret, `NUMBER HEX`. A file without such a line is one secret, all bytes of it, with number 1.
package struct Keyring: Sendable {
    /// The fewest bytes that a secret may have.
    package static let leastByteCount = 32
    /// The greatest number that a secret may have: a sealed value carries it in two bytes.
    package static let greatestNumber = 65_535

    /// The numbers, lowest first.
    package let numbers: [Int]
    /// The number of the secret that seals.
    package let newest: Int
    private let secrets: [Int: Secret<[UInt8]>]

    /// Reads the content of a file.
    ///
    /// - Throws: `invalidKey` with a detail that names the line and nothing of what is in it.
    package init(_ content: [UInt8]) throws(CryptographyError) {
        let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let isText = content.allSatisfy { Keyring.printable.contains($0) || $0 == 0x0A || $0 == 0x0D }
        var secrets: [Int: Secret<[UInt8]>] = [:]
        if isText, lines.contains(where: Keyring.isNumbered) {
            for (index, line) in lines.enumerated() {
                let line = line.last == 0x0D ? line.dropLast() : line
                guard !line.isEmpty else { continue }
                let (number, secret) = try Keyring.read(line, index + 1)
                guard secrets.updateValue(secret, forKey: number) == nil else {
                    throw CryptographyError(.invalidKey, "two lines have the number \(number)")
                }
            }
        } else {
            guard content.count >= Keyring.leastByteCount else {
                throw CryptographyError(.invalidKey, "fewer than \(Keyring.leastByteCount) bytes")
            }
            secrets[1] = Secret(content)
        }
        self.secrets = secrets
        numbers = secrets.keys.sorted()
        newest = numbers[numbers.count - 1]
    }

    /// A secret.
    ///
    /// - Throws: `unknownKey` for a number that is not there.
    package func secret(_ number: Int) throws(CryptographyError) -> Secret<[UInt8]> {
        guard let secret = secrets[number] else { throw Keyring.unknown(number) }
        return secret
    }

    /// A key of 32 bytes under each secret, by its number: HKDF-SHA256 with the purpose as info.
    ///
    /// - Parameter purpose: One word, another one for each kind of value.
    /// - Throws: `failed` where OpenSSL does not offer the algorithms.
    package func keys(for purpose: String) throws(CryptographyError) -> [Int: Secret<[UInt8]>] {
        let mac = try HMACSHA256()
        var keys: [Int: Secret<[UInt8]>] = [:]
        for number in numbers {
            let secret = try secret(number).reveal()
            keys[number] = try HKDFSHA256.derive(
                from: secret.span,
                salt: [UInt8]().span,
                info: Array("sallyport/\(purpose)/1".utf8),
                count: Digest32.byteCount,
                using: mac
            )
        }
        return keys
    }

    fileprivate static func unknown(_ number: Int) -> CryptographyError {
        CryptographyError(.unknownKey, "key \(number) is not in the file of keys; put its line back")
    }

    private static let printable = UInt8(ascii: " ")...UInt8(ascii: "~")
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    /// Whether a line begins as those of a numbered file do, so that a slip in another line does not make one secret of all.
    private static func isNumbered(_ line: ArraySlice<UInt8>) -> Bool {
        let rest = line.drop(while: digits.contains)
        return rest.count < line.count && rest.first == UInt8(ascii: " ")
    }

    private static func read(
        _ line: ArraySlice<UInt8>,
        _ place: Int
    ) throws(CryptographyError) -> (number: Int, secret: Secret<[UInt8]>) {
        let word = Array(line.prefix(while: digits.contains))
        let rest = line.dropFirst(word.count)
        guard let number = DecimalDigits.parse(word.span, limit: greatestNumber), number > 0,
            rest.first == UInt8(ascii: " "), let secret = Hex.decode(String(decoding: rest.dropFirst(), as: UTF8.self))
        else {
            let form = "NUMBER HEX, with a number from 1 to \(greatestNumber)"
            throw CryptographyError(.invalidKey, "line \(place) is not \(form)")
        }
        guard secret.count >= leastByteCount else {
            throw CryptographyError(.invalidKey, "line \(place): key \(number) has fewer than \(leastByteCount) bytes")
        }
        return (number, Secret(secret))
    }
}

/// Seals values of one purpose under the newest secret of a keyring, and opens those under each of them.
///
/// A sealed value is the number of the secret (2 bytes, high byte first) ‖ what `AES256GCM` makes. The key is HKDF-SHA256 of the secret
/// with the purpose as info. The identity of the row is authenticated: a value that is moved to another row does not open. One per
/// loop, not `Sendable`.
package final class KeyringSeal {
    /// How many bytes a sealed value is longer than what it holds.
    package static let overhead = numberByteCount + AES256GCM.overhead
    private static let numberByteCount = 2

    private let newest: Int
    private let keys: [Int: Secret<[UInt8]>]
    private let cipher: AES256GCM

    /// A seal.
    ///
    /// - Parameter purpose: One word, another one for each kind of value; it is part of what is stored.
    /// - Throws: `failed` where OpenSSL does not offer the algorithms.
    package init(_ keyring: Keyring, purpose: String) throws(CryptographyError) {
        newest = keyring.newest
        cipher = try AES256GCM()
        keys = try keyring.keys(for: purpose)
    }

    /// Seals bytes under the newest secret.
    ///
    /// - Parameter identity: What tells the row from all others of the same purpose.
    /// - Throws: `failed` where OpenSSL refuses.
    package func seal(
        _ plaintext: [UInt8],
        of identity: [String],
        random: any RandomSource
    ) throws(CryptographyError) -> [UInt8] {
        let context = KeyringSeal.context(identity)
        let sealed = try cipher.seal(plaintext, key: key(newest), context: context.span, random: random)
        return [UInt8(newest >> 8), UInt8(newest & 0xFF)] + sealed
    }

    /// Opens a sealed value.
    ///
    /// - Throws: `unknownKey` with the number of a secret that is not in the keyring; `notAuthentic` where the value was altered,
    ///   or sealed for another row, purpose or secret.
    package func open(_ sealed: [UInt8], of identity: [String]) throws(CryptographyError) -> [UInt8] {
        guard let number = KeyringSeal.number(of: sealed) else {
            throw CryptographyError(.notAuthentic, "too short to be sealed")
        }
        let context = KeyringSeal.context(identity)
        let rest = sealed.span.extracting(KeyringSeal.numberByteCount...)
        return try cipher.open(rest, key: key(number), context: context.span)
    }

    /// The number of the secret that a value is sealed under; `nil` for what is too short to be sealed.
    package static func number(of sealed: [UInt8]) -> Int? {
        sealed.count >= overhead ? Int(sealed[0]) << 8 | Int(sealed[1]) : nil
    }

    private func key(_ number: Int) throws(CryptographyError) -> Secret<[UInt8]> {
        guard let key = keys[number] else { throw Keyring.unknown(number) }
        return key
    }

    /// Each part behind its length, so that no two identities are the same bytes.
    private static func context(_ identity: [String]) -> [UInt8] {
        var context: [UInt8] = []
        for part in identity {
            let count = UInt32(truncatingIfNeeded: part.utf8.count)
            for shift in [24, 16, 8, 0] as [UInt32] { context.append(UInt8(truncatingIfNeeded: count >> shift)) }
            context += Array(part.utf8)
        }
        return context
    }
}
