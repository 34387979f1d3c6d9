import Primitives

/// A pattern of a rule, as Apple documents it: `*` for any run of characters, `?` for one, `$(NAME)` for one of a list of values.
///
/// Text is compared octet by octet. The time is bounded by the product of the lengths of pattern and text.
package struct LinkPattern: Sendable {
    /// How a rule compares, for its whole document, entry or component.
    package struct Options: Sendable, Hashable {
        /// Whether capital and small letters differ.
        package var isCaseSensitive = true
        /// Whether patterns are written with percent signs, as addresses are.
        package var isPercentEncoded = true
        /// The document's own variables.
        package var variables: [Variable] = []

        /// The defaults of the format.
        package init() {}
    }

    /// A list of values, any of which may stand in an address in place of `$(NAME)`.
    package struct Variable: Sendable, Hashable {
        fileprivate let name: [UInt8]
        fileprivate let values: [[UInt8]]

        /// A variable.
        ///
        /// - Parameters:
        ///   - name: Compared by octets.
        ///   - values: Patterns without variables.
        package init(_ name: String, _ values: [String]) {
            self.name = Array(name.utf8)
            self.values = values.map { Array($0.utf8) }
        }
    }

    private enum Part: Sendable {
        case octet(UInt8)
        case any
        case run
        case oneOf([[Part]])
    }

    private let parts: [Part]
    private let options: Options

    /// A pattern.
    ///
    /// - Parameters:
    ///   - text: As the document has it; a variable without values stands for itself.
    package init(_ text: String, _ options: Options = Options()) {
        self.options = options
        parts = LinkPattern.parts(Array(text.utf8)[...], options, hasVariables: true)
    }

    /// Whether a text matches as a whole.
    ///
    /// - Parameter text: Of an address, with its percent signs.
    /// - Returns: True where each part has its place.
    package func matches(_ text: String) -> Bool {
        let octets = Array(text.utf8).map(folded)
        let read = options.isPercentEncoded ? octets : LinkPattern.decoded(octets).map(folded)
        var reached = [Bool](repeating: false, count: read.count + 1)
        reached[0] = true
        return advance(reached, over: parts, in: read).last == true
    }

    /// The places behind the parts, from those in front of them.
    private func advance(_ start: [Bool], over parts: [Part], in text: [UInt8]) -> [Bool] {
        var reached = start
        for part in parts {
            switch part {
            case .run:
                guard let first = reached.firstIndex(of: true) else { return reached }
                for place in first..<reached.count { reached[place] = true }
            case .any, .octet:
                let matches = text.indices.map { reached[$0] && isOne(part, text[$0]) }
                reached = [false] + matches
            case .oneOf(let values):
                let ends = values.map { advance(reached, over: $0, in: text) }
                reached = reached.indices.map { place in ends.contains { $0[place] } }
            }
        }
        return reached
    }

    private func isOne(_ part: Part, _ octet: UInt8) -> Bool {
        if case .octet(let wanted) = part { folded(wanted) == octet } else { true }
    }

    private func folded(_ octet: UInt8) -> UInt8 {
        guard !options.isCaseSensitive, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(octet) else { return octet }
        return octet | 0x20
    }

    // MARK: Reading

    private static func parts(_ text: ArraySlice<UInt8>, _ options: Options, hasVariables: Bool) -> [Part] {
        var found: [Part] = []
        var rest = text
        while let octet = rest.popFirst() {
            switch octet {
            case UInt8(ascii: "*"): found.append(.run)
            case UInt8(ascii: "?"): found.append(.any)
            case UInt8(ascii: "$") where hasVariables && rest.first == UInt8(ascii: "("):
                let name = rest.dropFirst().prefix { $0 != UInt8(ascii: ")") }
                let isClosed = name.endIndex < rest.endIndex
                let all = options.variables + systemVariables
                guard isClosed, let variable = all.first(where: { $0.name.elementsEqual(name) }) else {
                    found.append(.octet(octet))
                    continue
                }
                // Values have no variables of their own.
                found.append(.oneOf(variable.values.map { parts($0[...], options, hasVariables: false) }))
                rest = rest[(name.endIndex + 1)...]
            default: found.append(.octet(octet))
            }
        }
        return found
    }

    private static func each(_ letters: String...) -> [String] { letters.joined().map { String($0) } }

    private static let lower = "abcdefghijklmnopqrstuvwxyz"
    private static let upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    private static let digits = "0123456789"

    /// The variables that every document has; of languages and regions only the form is known here, two letters.
    private static let systemVariables = [
        Variable("alpha", each(lower, upper)), Variable("upper", each(upper)), Variable("lower", each(lower)),
        Variable("alnum", each(lower, upper, digits)), Variable("digit", each(digits)),
        Variable("xdigit", each(digits, "abcdefABCDEF")),
        Variable("lang", each(lower).flatMap { first in each(lower).map { first + $0 } }),
        Variable("region", each(upper).flatMap { first in each(upper).map { first + $0 } }),
    ]

    private static func decoded(_ text: [UInt8]) -> [UInt8] {
        var found: [UInt8] = []
        var rest = text[...]
        while let octet = rest.popFirst() {
            let pair = rest.prefix(2)
            let digits = String(decoding: pair, as: UTF8.self)
            // A number of Swift may have a sign.
            if octet == UInt8(ascii: "%"), pair.count == 2, pair.allSatisfy({ Hex.value(of: $0) != nil }),
                let value = UInt8(digits, radix: 16)
            {
                found.append(value)
                rest = rest.dropFirst(2)
            } else {
                found.append(octet)
            }
        }
        return found
    }
}
