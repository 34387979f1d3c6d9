import Primitives

/// The one spelling of paths and queries that both sides of a signature agree on.
enum PercentEncoding {
    /// The canonical path: never empty, runs of slashes folded, everything else than `A-Z a-z 0-9 - _ . ~ /` encoded.
    ///
    /// What arrives encoded is taken as the octet it stands for, so that `%7e` and `~` agree; an encoded slash stays one.
    static func path(_ raw: String) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(raw.utf8.count)
        for octet in Octets(raw.utf8[...]) {
            if octet == .literal(slash) {
                if output.last != slash { output.append(slash) }
            } else {
                append(octet.value, to: &output)
            }
        }
        return output.isEmpty ? "/" : String(decoding: output, as: UTF8.self)
    }

    /// The canonical query: pairs sorted by encoded name, then encoded value; `name=value` joined by `&`.
    static func query(_ raw: String) -> String {
        let pairs = raw.utf8.split(separator: UInt8(ascii: "&")).map { part -> (String, String) in
            let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (component(sides[0]), sides.count > 1 ? component(sides[1]) : "")
        }
        return pairs.sorted { $0 < $1 }.map { $0.0 + "=" + $0.1 }.joined(separator: "&")
    }

    private static let slash = UInt8(ascii: "/")

    private enum Octet: Equatable {
        case literal(UInt8)
        case encoded(UInt8)

        var value: UInt8 {
            switch self {
            case .literal(let byte), .encoded(let byte): byte
            }
        }
    }

    private static func component(_ part: Substring.UTF8View) -> String {
        var output: [UInt8] = []
        for octet in Octets(part) { append(octet.value, to: &output) }
        return String(decoding: output, as: UTF8.self)
    }

    /// The octets that a text stands for, one after the other.
    private struct Octets: Sequence, IteratorProtocol {
        private var rest: Substring.UTF8View

        init(_ text: Substring.UTF8View) {
            rest = text
        }

        mutating func next() -> Octet? {
            guard let first = rest.popFirst() else { return nil }
            var behind = rest
            guard first == UInt8(ascii: "%"), let high = behind.popFirst().flatMap(Hex.value),
                let low = behind.popFirst().flatMap(Hex.value)
            else { return .literal(first) }
            rest = behind
            return .encoded(high << 4 | low)
        }
    }

    private static func append(_ byte: UInt8, to output: inout [UInt8]) {
        guard !Characters.isUnreserved(byte) else {
            output.append(byte)
            return
        }
        output.append(UInt8(ascii: "%"))
        for digit in [byte >> 4, byte & 15] { output.append(digit < 10 ? 0x30 + digit : 0x37 + digit) }
    }
}
