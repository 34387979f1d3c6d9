/// Markup with values and gaps in it, written as one literal: `"<h1>\(texts.heading)</h1><p>\(.orderNumber)</p>"`.
///
/// The literal itself is inserted as it stands, every value in it is escaped by its type, and a case of `Slot` leaves a gap
/// that each rendering fills. Made when the program starts; requests only see the `Template`.
package struct Markup<Slot: Sendable>: Sendable, ExpressibleByStringInterpolation {
    /// A run of constant bytes, or a gap.
    enum Piece: Sendable {
        case constant([UInt8])
        case slot(Slot)
    }

    /// Never two constants in a row.
    let pieces: [Piece]

    /// Nothing.
    package static var empty: Markup { "" }

    package init(stringLiteral value: StaticString) {
        var parts = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        parts.appendLiteral(value)
        self.init(stringInterpolation: parts)
    }

    package init(stringInterpolation parts: StringInterpolation) {
        pieces = parts.finish()
    }

    /// One part for each element, one behind the other.
    package init<Element>(each elements: some Sequence<Element>, _ part: (Element) -> Markup) {
        var parts = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        for element in elements { parts.appendInterpolation(part(element)) }
        self.init(stringInterpolation: parts)
    }

    /// What a literal may hold.
    package struct StringInterpolation: StringInterpolationProtocol {
        private var pieces: [Piece] = []
        private var constant = HTMLWriter()

        package init(literalCapacity: Int, interpolationCount: Int) {}

        /// The literal's own text; a `StaticString` has no other origin.
        package mutating func appendLiteral(_ literal: StaticString) {
            constant.fragment(Array(literal.description.utf8))
        }

        /// A gap.
        package mutating func appendInterpolation(_ slot: Slot) {
            flush()
            pieces.append(.slot(slot))
        }

        /// A text of the tables.
        package mutating func appendInterpolation(_ text: Wording) { constant.text(text) }

        /// Any text, escaped.
        package mutating func appendInterpolation(_ text: String) { constant.text(text) }

        /// The value of an `href`, `src` or `action` attribute.
        package mutating func appendInterpolation(_ target: LinkTarget) { constant.link(target) }

        /// Data for scripts.
        package mutating func appendInterpolation(_ block: JSONBlock) { constant.json(block) }

        /// A style sheet of our own, to stand inside the document.
        package mutating func appendInterpolation(_ styles: InlineStyles) { constant.fragment(styles.bytes) }

        /// What a writer is given; for values that this module does not know.
        package mutating func append(_ write: (inout HTMLWriter) -> Void) { write(&constant) }

        /// Another part.
        package mutating func appendInterpolation(_ part: Markup) {
            for piece in part.pieces {
                switch piece {
                case .constant(let bytes): constant.fragment(bytes)
                case .slot(let slot): appendInterpolation(slot)
                }
            }
        }

        fileprivate consuming func finish() -> [Piece] {
            flush()
            return pieces
        }

        private mutating func flush() {
            guard !constant.bytes.isEmpty else { return }
            pieces.append(.constant(constant.bytes))
            constant = HTMLWriter()
        }
    }
}
