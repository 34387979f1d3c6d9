import HTTPCore

/// Queries and forms, `application/x-www-form-urlencoded`.
///
/// What is decoded is what a second decoder makes of it, and survives a round trip.
let formTarget = FuzzTarget(
    name: "form",
    examine: { unit in
        let expected = FormGrammar.decode(unit)
        let parameters = try? HTTPParameters(unit.span, limit: 16)
        check(
            (parameters == nil) == (expected == nil || (expected?.count ?? 0) > 16),
            "both decoders accept the same forms"
        )
        guard let parameters, let expected else { return }
        let found = parameters.all.map { FormGrammar.Pair(name: Array($0.name.utf8), value: Array($0.value.utf8)) }
        check(found == expected, "both decoders find the same parameters")
        let names = expected.map(\.name)
        for pair in expected {
            let times = names.count { $0 == pair.name }
            let value = try? parameters.value(text(pair.name))
            check((value != nil) == (times == 1), "a parameter has a value where it stands once")
            let written = FormGrammar.encode(pair.name) + [UInt8(ascii: "=")] + FormGrammar.encode(pair.value)
            let again = try? HTTPParameters(written.span).value(text(pair.name))
            check(again.map { Array($0.utf8) } == pair.value, "a parameter survives a round trip")
        }
        check(parameters.hasRepeatedName == (Set(names).count < names.count), "a repeated name is seen")
    },
    read: { unit in
        guard let parameters = try? HTTPParameters(unit.span) else { return }
        _ = parameters.hasRepeatedName
        _ = parameters.names.map { try? parameters.value($0) }
    }
)

/// A second decoder of queries and forms, by splitting.
enum FormGrammar {
    struct Pair: Equatable {
        let name: [UInt8]
        let value: [UInt8]
    }

    static func decode(_ bytes: [UInt8]) -> [Pair]? {
        var pairs: [Pair] = []
        for part in bytes.split(separator: UInt8(ascii: "&")) {
            let front = part.prefix { $0 != UInt8(ascii: "=") }
            guard let name = unescaped(front), let value = unescaped(part.dropFirst(front.count + 1)) else {
                return nil
            }
            pairs.append(Pair(name: name, value: value))
        }
        return pairs
    }

    private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            var decoded = byte == UInt8(ascii: "+") ? 32 : byte
            if byte == UInt8(ascii: "%") {
                guard rest.count >= 2, let high = digit(rest.removeFirst()), let low = digit(rest.removeFirst()) else {
                    return nil
                }
                decoded = high * 16 + low
            }
            guard decoded == 9 || (decoded >= 32 && decoded != 127) else { return nil }
            output.append(decoded)
        }
        return String(validating: output, as: UTF8.self) == nil ? nil : output
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        guard RequestGrammar.isAlphanumeric(byte) else { return nil }
        return UInt8(text([byte]), radix: 16)
    }

    /// Every byte as an escape, so that nothing in it has a meaning.
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [UInt8(ascii: "%"), digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }
}
