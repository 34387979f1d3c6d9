/// A document with gaps: constant bytes made once, and slots that each request fills.
struct Template<Slot: Sendable>: Sendable {
    private let pieces: [Markup<Slot>.Piece]
    private let constantCount: Int

    /// Compiles a document or a part of one.
    ///
    /// - Parameter markup: Constants and gaps.
    init(_ markup: Markup<Slot>) {
        pieces = markup.pieces
        constantCount = pieces.reduce(into: 0) { sum, piece in
            if case .constant(let bytes) = piece { sum += bytes.count }
        }
    }

    /// Writes the whole document.
    ///
    /// - Parameters:
    ///   - room: Bytes expected from the slots together; a short guess costs a copy, nothing else.
    ///   - fill: Writes the content of one slot.
    /// - Returns: The document, UTF-8.
    func render(room: Int, fill: (Slot, inout HTMLWriter) -> Void) -> [UInt8] {
        var writer = HTMLWriter()
        writer.reserve(constantCount + room)
        render(into: &writer, fill: fill)
        return writer.bytes
    }

    /// Writes a part of a document, such as one row of a table.
    ///
    /// - Parameters:
    ///   - writer: Grows by the part.
    ///   - fill: Writes the content of one slot.
    func render(into writer: inout HTMLWriter, fill: (Slot, inout HTMLWriter) -> Void) {
        for piece in pieces {
            switch piece {
            case .constant(let bytes): writer.fragment(bytes)
            case .slot(let slot): fill(slot, &writer)
            }
        }
    }
}

extension Template where Slot == Never {
    /// The document, which has no gaps.
    var bytes: [UInt8] {
        render(room: 0) { _, _ in }
    }
}
