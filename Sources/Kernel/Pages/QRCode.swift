/// A QR code of level L for a text, ISO/IEC 18004, versions 1 to 9.
package struct QRCode: Sendable {
    /// Dark modules, row by row.
    package private(set) var modules: [[Bool]]
    /// Modules that no data may take.
    private var isFixed: [[Bool]]
    private let size: Int

    /// Data bytes and correction bytes of a block, and how many blocks there are, by version.
    ///
    /// Level L; all blocks of these versions are of one length.
    private static let capacities: [(data: Int, correction: Int, blocks: Int)] = [
        (19, 7, 1), (34, 10, 1), (55, 15, 1), (80, 20, 1), (108, 26, 1), (68, 18, 2), (78, 20, 2), (97, 24, 2),
        (116, 30, 2),
    ]
    /// Centres of the alignment patterns by version.
    private static let centres: [[Int]] = [
        [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46],
    ]

    /// The code of a text in UTF-8; `nil` where it has more than 230 bytes.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let version = Self.capacities.firstIndex(where: { $0.data * $0.blocks >= bytes.count + 2 }) else {
            return nil
        }
        size = 21 + 4 * version
        modules = Array(repeating: Array(repeating: false, count: size), count: size)
        isFixed = modules
        drawPatterns(version)
        draw(Self.codewords(bytes, version))
    }

    /// The width of a picture with the margin that readers need, in modules.
    package var side: Int { size + 8 }

    /// The dark modules inside that margin as the data of an SVG path: digits, blanks and letters of commands alone.
    package var path: String {
        var path = ""
        for (row, line) in modules.enumerated() {
            var column = 0
            while let start = line[column...].firstIndex(of: true) {
                let end = line[start...].firstIndex(of: false) ?? size
                path += "M\(start + 4) \(row + 4)h\(end - start)v1h-\(end - start)z"
                column = end
            }
        }
        return path
    }

    // MARK: Data

    private static func codewords(_ bytes: [UInt8], _ version: Int) -> [UInt8] {
        let (length, correction, blocks) = capacities[version]
        // Four bits for the mode, eight for the length: everything is shifted by half a byte.
        let count = UInt8(truncatingIfNeeded: bytes.count)
        var half: [UInt8] = [4, count >> 4, count & 15]
        for byte in bytes { half += [byte >> 4, byte & 15] }
        half.append(0)
        var data = stride(from: 0, to: half.count, by: 2).map { half[$0] << 4 | half[$0 + 1] }
        for index in 0..<(length * blocks - data.count) { data.append(index % 2 == 0 ? 0xEC : 0x11) }
        let parts = (0..<blocks).map { Array(data[$0 * length..<($0 + 1) * length]) }
        let checks = parts.map { remainder($0, correction) }
        // Byte by byte of all blocks in turn.
        var codewords: [UInt8] = []
        for index in 0..<length { for part in parts { codewords.append(part[index]) } }
        for index in 0..<correction { for check in checks { codewords.append(check[index]) } }
        return codewords
    }

    /// Reed-Solomon over the field of 256 with the polynomial 0x11D.
    private static func remainder(_ data: [UInt8], _ count: Int) -> [UInt8] {
        var divisor = [UInt8](repeating: 0, count: count)
        divisor[count - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<count {
            for index in 0..<count {
                divisor[index] = multiply(divisor[index], root) ^ (index + 1 < count ? divisor[index + 1] : 0)
            }
            root = multiply(root, 2)
        }
        var rest = [UInt8](repeating: 0, count: count)
        for byte in data {
            let factor = byte ^ rest.removeFirst()
            rest.append(0)
            for index in 0..<count { rest[index] ^= multiply(divisor[index], factor) }
        }
        return rest
    }

    private static func multiply(_ one: UInt8, _ other: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for bit in (0..<8).reversed() {
            product = product << 1 ^ (product & 0x80 == 0 ? 0 : 0x1D)
            if other >> UInt8(bit) & 1 == 1 { product ^= one }
        }
        return product
    }

    // MARK: Drawing

    private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
        guard modules.indices.contains(row), modules.indices.contains(column) else { return }
        modules[row][column] = isDark
        isFixed[row][column] = true
    }

    private mutating func drawPatterns(_ version: Int) {
        for index in 0..<size {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
        for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] { drawFinder(row, column) }
        let centres = Self.centres[version]
        for row in centres {
            for column in centres where !isFinder(row, column) { drawAlignment(row, column) }
        }
        drawFormat()
        if version >= 6 { drawVersion(version + 1) }
    }

    private mutating func drawFinder(_ row: Int, _ column: Int) {
        for y in -4...4 {
            for x in -4...4 {
                let ring = max(abs(x), abs(y))
                set(row + y, column + x, ring != 2 && ring != 4)
            }
        }
    }

    private mutating func drawAlignment(_ row: Int, _ column: Int) {
        for y in -2...2 {
            for x in -2...2 { set(row + y, column + x, max(abs(x), abs(y)) != 1) }
        }
    }

    private func isFinder(_ row: Int, _ column: Int) -> Bool {
        (row == 6 && column == 6) || (row == 6 && column == size - 7) || (row == size - 7 && column == 6)
    }

    /// Level L, mask 0: 01000 with its check bits, masked.
    private mutating func drawFormat() {
        let bits = 0b111_0111_1100_0100
        func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        for index in 0..<6 { set(index, 8, bit(index)) }
        set(7, 8, bit(6))
        set(8, 8, bit(7))
        set(8, 7, bit(8))
        for index in 9..<15 { set(8, 14 - index, bit(index)) }
        for index in 0..<8 { set(8, size - 1 - index, bit(index)) }
        for index in 8..<15 { set(size - 15 + index, 8, bit(index)) }
        set(size - 8, 8, true)
    }

    private mutating func drawVersion(_ version: Int) {
        var rest = version
        for _ in 0..<12 { rest = rest << 1 ^ (rest >> 11) * 0x1F25 }
        let bits = version << 12 | rest
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            set(index / 3, size - 11 + index % 3, isDark)
            set(size - 11 + index % 3, index / 3, isDark)
        }
    }

    private mutating func draw(_ codewords: [UInt8]) {
        var next = 0
        var right = size - 1
        while right >= 1 {
            if right == 6 { right = 5 }
            for step in 0..<size {
                let isUpward = (right + 1) & 2 == 0
                let row = isUpward ? size - 1 - step : step
                for column in [right, right - 1] where !isFixed[row][column] {
                    let isDark = next < codewords.count * 8 && codewords[next / 8] >> UInt8(7 - next % 8) & 1 == 1
                    // Mask 0 turns every module whose coordinates have an even sum.
                    modules[row][column] = isDark != ((row + column) % 2 == 0)
                    next += 1
                }
            }
            right -= 2
        }
    }
}
