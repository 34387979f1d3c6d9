import Primitives

/// Up to eleven texts, each of which may be missing, in one run of bytes.
///
/// Private details are opened for every look at a confirm page, which writes some of them into the page: so they stay the bytes
/// they were stored as, and a text is made only where one is asked for.
struct TextParts: Sendable, Hashable {
    /// Where a text stands; missing where it starts before the first byte.
    struct Piece: Sendable {
        let start: Int32
        let count: Int32

        /// No text.
        static var missing: Piece { Piece(start: -1, count: 0) }

        /// The bytes of a range, or no text where the range is empty.
        ///
        /// - Parameter range: Its end fits into 32 bits, or the text counts as missing.
        init(_ range: Range<Int>) {
            guard !range.isEmpty, let start = Int32(exactly: range.lowerBound), let count = Int32(exactly: range.count)
            else {
                self = .missing
                return
            }
            self.init(start: start, count: count)
        }

        private init(start: Int32, count: Int32) {
            self.start = start
            self.count = count
        }
    }

    private var bytes: [UInt8]
    private var pieces: InlineArray<11, Piece>

    /// No text at all.
    init() {
        bytes = []
        pieces = InlineArray(repeating: .missing)
    }

    /// Texts that stand in the given bytes.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8; shared, not copied.
    ///   - pieces: Within the bytes.
    init(_ bytes: [UInt8], _ pieces: InlineArray<11, Piece>) {
        self.bytes = bytes
        self.pieces = pieces
    }

    /// One text, or `nil` where it is missing; an empty one counts as missing.
    subscript(place: Int) -> String? {
        get {
            guard let range = range(place) else { return nil }
            return String(decoding: bytes[range], as: UTF8.self)
        }
        set {
            let start = bytes.count
            bytes.append(contentsOf: (newValue ?? "").utf8)
            pieces[place] = Piece(start..<bytes.count)
        }
    }

    /// Lends the bytes of one text, UTF-8.
    ///
    /// - Parameters:
    ///   - body: Gets the bytes; not called where the text is missing.
    /// - Returns: What the body returns, or `nil` where the text is missing.
    func withBytes<Value>(_ place: Int, _ body: (Span<UInt8>) -> Value) -> Value? {
        guard let range = range(place) else { return nil }
        return body(bytes.span.extracting(range))
    }

    private func range(_ place: Int) -> Range<Int>? {
        let piece = pieces[place]
        guard piece.start >= 0 else { return nil }
        return Int(piece.start)..<Int(piece.start) + Int(piece.count)
    }

    static func == (left: TextParts, right: TextParts) -> Bool {
        left.pieces.indices.allSatisfy { left[$0]?.octets == right[$0]?.octets }
    }

    func hash(into hasher: inout Hasher) {
        for place in pieces.indices { hasher.combine(self[place]?.octets) }
    }
}
