/// A document with gaps: constant bytes made once, and slots that each request fills.
struct Template<Slot: Sendable>: Sendable {
    fileprivate enum Piece: Sendable {
        case constant([UInt8])
        case slot(Slot)
    }

    private let pieces: [Piece]
    private let constantCount: Int

    /// Compiles a document.
    ///
    /// - Parameter build: Writes the constants and names the slots, in order.
    init(_ build: (inout TemplateBuilder<Slot>) -> Void) {
        var builder = TemplateBuilder<Slot>()
        build(&builder)
        pieces = builder.finish()
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

/// Collects the constants and slots of a template.
struct TemplateBuilder<Slot: Sendable> {
    private var pieces: [Template<Slot>.Piece] = []
    /// Where constants are written; a slot closes the run.
    var constant = HTMLWriter()

    /// Writes constant markup.
    mutating func html(_ markup: HTML) {
        constant.html(markup)
    }

    /// Writes a constant text, escaped.
    mutating func text(_ wording: Wording) {
        constant.text(wording)
    }

    /// Leaves a gap that each rendering fills.
    mutating func slot(_ slot: Slot) {
        flush()
        pieces.append(.slot(slot))
    }

    fileprivate mutating func finish() -> [Template<Slot>.Piece] {
        flush()
        return pieces
    }

    private mutating func flush() {
        guard !constant.bytes.isEmpty else { return }
        pieces.append(.constant(constant.bytes))
        constant = HTMLWriter()
    }
}
