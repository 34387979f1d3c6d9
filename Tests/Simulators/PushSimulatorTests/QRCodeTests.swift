import Cryptography
import Primitives
import SimulatorCore
import Testing

@testable import PushSimulator

@Suite("QR codes")
struct QRCodeTests {
    @Test func `a member number`() throws {
        let code = try #require(QRCode("M-000123"))
        let rows = code.modules.map { row in String(row.map { $0 ? "#" : "." }) }
        #expect(rows.joined(separator: "\n") == Self.member)
        #expect(code.svg.text.hasPrefix("<svg viewBox=\"0 0 29 29\""))
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
