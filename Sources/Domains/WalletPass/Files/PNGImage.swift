import ZIP

/// Why bytes are no PNG image.
struct PNGError: Error, Equatable {
    /// A sentence for people, without a full stop; nothing of it comes from the bytes.
    let sentence: String
}

/// What a pass has to know of a PNG image: that it is whole, and its size.
///
/// Checksums of all chunks are compared, and the picture is decompressed to its last line; nothing of it is kept.
struct PNGImage: Equatable {
    let width: Int
    let height: Int

    /// The greatest width and height.
    static let limit = 4_096

    init(_ bytes: [UInt8]) throws(PNGError) {
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
            throw PNGError(sentence: "no PNG image")
        }
        var reader = ChunkReader(bytes: bytes, position: 8)
        let header = try reader.next()
        guard header.type == PNGImage.type("IHDR") else { throw PNGError(sentence: "IHDR is not the first chunk") }
        let format = try PNGFormat(bytes[header.content])
        (width, height) = (format.width, format.height)
        var picture: [UInt8] = []
        var chunk = try reader.next()
        var types: Set<UInt32> = []
        while chunk.type != PNGImage.type("IEND") {
            if chunk.type == PNGImage.type("IDAT") { picture += bytes[chunk.content] }
            types.insert(chunk.type)
            chunk = try reader.next()
        }
        guard reader.position == bytes.count else { throw PNGError(sentence: "bytes behind the image") }
        guard !types.contains(PNGImage.type("IHDR")) else { throw PNGError(sentence: "a second IHDR chunk") }
        guard !format.hasPalette || types.contains(PNGImage.type("PLTE")) else {
            throw PNGError(sentence: "no palette")
        }
        guard Deflate.expandedCount(ofZlib: picture, limit: format.byteCount) == format.byteCount else {
            throw PNGError(sentence: "the picture is cut or damaged")
        }
    }

    fileprivate static func type(_ name: StaticString) -> UInt32 {
        String(describing: name).utf8.reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The header of an image.
private struct PNGFormat {
    let width: Int
    let height: Int
    let hasPalette: Bool
    /// How many bytes the picture has before it is compressed.
    let byteCount: Int

    init(_ header: ArraySlice<UInt8>) throws(PNGError) {
        let header = Array(header)
        guard header.count == 13 else { throw PNGError(sentence: "an IHDR chunk of another size") }
        func number(_ offset: Int) -> Int { header[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) } }
        let size = (width: number(0), height: number(4))
        let sizes = 1...PNGImage.limit
        guard sizes.contains(size.width), sizes.contains(size.height) else {
            throw PNGError(sentence: "not from 1 to \(PNGImage.limit) pixels wide and high")
        }
        let depth = Int(header[8])
        let channels: Int
        switch (header[9], depth) {
        case (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (3, 1), (3, 2), (3, 4), (3, 8): channels = 1
        case (4, 8), (4, 16): channels = 2
        case (2, 8), (2, 16): channels = 3
        case (6, 8), (6, 16): channels = 4
        default: throw PNGError(sentence: "an unknown colour type")
        }
        guard header[10] == 0, header[11] == 0, header[12] <= 1 else { throw PNGError(sentence: "an unknown method") }
        (width, height, hasPalette) = (size.width, size.height, header[9] == 3)
        let passes = header[12] == 0 ? PNGFormat.wholePass : PNGFormat.interlacedPasses
        byteCount = passes.reduce(0) { count, pass in
            let columns = (size.width - pass.x + pass.stepX - 1) / pass.stepX
            let rows = (size.height - pass.y + pass.stepY - 1) / pass.stepY
            // Each line begins with the number of its filter.
            return columns > 0 && rows > 0 ? count + rows * (1 + (columns * channels * depth + 7) / 8) : count
        }
    }

    /// Which pixels are together: from where, and every how many.
    private struct Pass {
        let x: Int
        let y: Int
        let stepX: Int
        let stepY: Int
    }

    private static let wholePass = [Pass(x: 0, y: 0, stepX: 1, stepY: 1)]

    private static let interlacedPasses = [
        Pass(x: 0, y: 0, stepX: 8, stepY: 8), Pass(x: 4, y: 0, stepX: 8, stepY: 8),
        Pass(x: 0, y: 4, stepX: 4, stepY: 8),
        Pass(x: 2, y: 0, stepX: 4, stepY: 4), Pass(x: 0, y: 2, stepX: 2, stepY: 4),
        Pass(x: 1, y: 0, stepX: 2, stepY: 2),
        Pass(x: 0, y: 1, stepX: 1, stepY: 2),
    ]
}

/// Reads chunks and compares their checksums.
private struct ChunkReader {
    struct Chunk {
        let type: UInt32
        let content: Range<Int>
    }

    let bytes: [UInt8]
    var position: Int

    mutating func next() throws(PNGError) -> Chunk {
        guard bytes.count - position >= 12 else { throw PNGError(sentence: "a cut chunk") }
        let length = Int(number(at: position))
        guard length <= bytes.count - position - 12 else { throw PNGError(sentence: "a cut chunk") }
        let content = (position + 8)..<(position + 8 + length)
        guard isChecked(content) else { throw PNGError(sentence: "a chunk with a wrong checksum") }
        let type = number(at: position + 4)
        position = content.upperBound + 4
        return Chunk(type: type, content: content)
    }

    /// Whether the checksum behind a content is that of its type and of itself.
    private func isChecked(_ content: Range<Int>) -> Bool {
        let checked = bytes.span.extracting((content.lowerBound - 4)..<content.upperBound)
        return CRC32.checksum(of: checked) == number(at: content.upperBound)
    }

    private func number(at offset: Int) -> UInt32 {
        bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
