import Primitives

/// A document with gaps: constant bytes made once, and slots that each request fills.
///
/// Rendering is compiled for the slots of each feature, without a table of witnesses: it is inlinable, and all types that it
/// names are `usableFromInline`, without which that has no effect (decision 0033).
@usableFromInline package struct Template<Slot: Sendable>: Sendable {
    @usableFromInline
    struct Gap: Sendable {
        /// Where the constant bytes before the gap end.
        @usableFromInline let end: Int
        @usableFromInline let slot: Slot
    }

    /// All constant parts, one behind the other: a rendering then counts no references but this one.
    @usableFromInline let constants: [UInt8]
    @usableFromInline let gaps: [Gap]

    /// Compiles a document or a part of one.
    package init(_ markup: Markup<Slot>) {
        var constants: [UInt8] = []
        var gaps: [Gap] = []
        for piece in markup.pieces {
            switch piece {
            case .constant(let bytes): constants += bytes
            case .slot(let slot): gaps.append(Gap(end: constants.count, slot: slot))
            }
        }
        self.constants = constants
        self.gaps = gaps
    }

    /// Writes the whole document.
    ///
    /// - Parameters:
    ///   - room: Bytes expected from the slots together; a short guess costs a copy, nothing else.
    /// - Returns: The document, UTF-8.
    @inlinable
    package func render(room: Int, fill: (Slot, inout HTMLWriter) -> Void) -> [UInt8] {
        var writer = HTMLWriter()
        writer.reserve(constants.count + room)
        render(into: &writer, fill: fill)
        return writer.bytes
    }

    /// Writes a part of a document, such as one row of a table.
    @inlinable
    package func render(into writer: inout HTMLWriter, fill: (Slot, inout HTMLWriter) -> Void) {
        var start = 0
        for gap in gaps {
            writer.fragment(constants.span.extracting(start..<gap.end))
            fill(gap.slot, &writer)
            start = gap.end
        }
        writer.fragment(constants.span.extracting(start...))
    }
}

extension Template where Slot == Never {
    /// The document, which has no gaps.
    package var bytes: [UInt8] {
        render(room: 0) { _, _ in }
    }
}

extension HTML {
    /// A part without gaps.
    package init(_ markup: Markup<Never>) {
        bytes = Template(markup).bytes
    }
}
