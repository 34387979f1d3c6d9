import Cryptography
import Pages
import Primitives
import Testing

@Suite("QR codes")
struct QRCodeTests {
    @Test func `a member number`() throws {
        let code = try #require(QRCode("M-000123"))
        let rows = code.modules.map { row in String(row.map { $0 ? "#" : "." }) }
        #expect(rows.joined(separator: "\n") == Self.member)
        #expect(code.side == 29)
        // Drawn again from the path, it is the same.
        var drawn = Array(repeating: Array(repeating: ".", count: 29), count: 29)
        for bar in code.path.split(separator: "z") {
            let numbers = bar.split { !$0.isNumber }.compactMap { Int($0) }
            #expect(String(bar) == "M\(numbers[0]) \(numbers[1])h\(numbers[2])v1h-\(numbers[2])")
            for column in numbers[0]..<(numbers[0] + numbers[2]) { drawn[numbers[1]][column] = "#" }
        }
        #expect(drawn[4..<25].map { $0[4..<25].joined() }.joined(separator: "\n") == Self.member)
        #expect(drawn.joined().count { $0 == "#" } == rows.joined().count { $0 == "#" })
    }

    /// Digests of codes that a reader of another make has read: with two blocks, and with the number of the version in them.
    @Test(
        arguments: [
            (
                String(repeating: "z", count: 150), 45,
                "208ee734eb1be12d6894dde211e97b9f26b7e7017fc353b66000efc1f1ae7e25"
            ),
            (
                String(repeating: "w", count: 229), 53,
                "7f06a5454347490eb1cacdae3e300d92cba8cd56812206d5935073e4a92015f8"
            ),
        ]
    )
    func `longer texts`(text: String, size: Int, digest: String) throws {
        let code = try #require(QRCode(text))
        #expect(code.modules.count == size)
        let rows = code.modules.map { row in String(row.map { $0 ? "1" : "0" }) }.joined(separator: "\n")
        #expect(Hex.encode(SHA256.digest(of: Array(rows.utf8)).bytes) == digest)
    }

    @Test func `a text that is too long has no code`() {
        #expect(QRCode(String(repeating: "x", count: 230)) != nil)
        #expect(QRCode(String(repeating: "x", count: 231)) == nil)
    }

    private static let member = """
        #######...#.#.#######
        #.....#.....#.#.....#
        #.###.#.#.#...#.###.#
        #.###.#.....#.#.###.#
        #.###.#..#.##.#.###.#
        #.....#..###..#.....#
        #######.#.#.#.#######
        ........#.#..........
        ###.#####.#.###...#..
        ..###..#..##.#..#.###
        .#..#.#..#.#.#..###.#
        ######.##..###.###...
        ..#######..#..#.##.#.
        ........#.#...#.##.#.
        #######.#...#...#.###
        #.....#.#.#...#..#.#.
        #.###.#.#.#.#.#.##...
        #.###.#..###.#..##.#.
        #.###.#.##.#.##.#.#.#
        #.....#.#.####.#.#.#.
        #######.#..#.##.##.##
        """
}
