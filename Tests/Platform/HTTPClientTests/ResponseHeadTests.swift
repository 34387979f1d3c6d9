import TestKit
import Testing

@testable import HTTPClient

@Suite("The head of a response")
struct ResponseHeadTests {
    private static let limit = 262_144

    private static func head(_ lines: [String]) -> ResponseHead? {
        var head = ResponseHead()
        for line in lines where !head.take(line + "\r\n", limit: limit) { return nil }
        return head
    }

    @Test func `is taken apart by octets`() throws {
        let head = try #require(
            Self.head(["HTTP/1.1 200 OK", "X-\u{600}: a", "Name\u{301}:\t\u{301}b \t", "Empty:", ""])
        )
        #expect(head.status == 200 && head.isComplete)
        #expect(head.fields.map { Array($0.0.utf8) } == ["X-\u{600}", "Name\u{301}", "Empty"].map { Array($0.utf8) })
        #expect(head.fields.map { Array($0.1.utf8) } == ["a", "\u{301}b", ""].map { Array($0.utf8) })
    }

    @Test(arguments: ["HTTP/1.1\u{301} 200", "HTTP/1.1 20\u{301}0", "\u{301}HTTP/1.1 200", "HTTP/1.1 2000", "HTTP/1.1"])
    func `is none with another first line`(line: String) {
        #expect(Self.head([line])?.status != 200 || line.hasPrefix("HTTP/1.1\u{301}"))
    }

    @Test(arguments: ["\u{0}", "a: \u{0}", "\u{0}: a", "HTTP/1.1 200 \u{0}", "HTTP/1.1 \u{0}"])
    func `costs no more than its octets`(shape: String) {
        let lines = [16_384, 32_768].map { shape.replacing("\u{0}", with: HostileText.marks($0)) }
        let growth = Growth.of(shape.debugDescription, size: 16_384) { size in
            for _ in 0..<4 { _ = Self.head(["HTTP/1.1 200 OK", lines[size == 16_384 ? 0 : 1], ""]) }
        }
        #expect(growth.isLinear, "\(growth)")
    }
}
