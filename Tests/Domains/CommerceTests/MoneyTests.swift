import Commerce
import Testing

@Suite("Money")
struct MoneyTests {
    @Test func `tax equals the floating form of the sample shop for every sum up to two million`() throws {
        for sum in UInt32(0)...2_000_000 {
            let ours = try Yen(sum).withTax().amount
            let theirs = Int64((Double(sum) * 1.1).rounded(.down))
            guard ours != theirs else { continue }
            Issue.record("\(sum): \(ours) here, \(theirs) there")
            return
        }
    }

    @Test(
        arguments: [(1, 1), (9, 9), (10, 11), (24_960, 27_456), (8_980, 9_878), (15_980, 17_578)] as [(UInt32, Int64)]
    )
    func `tax is ten per cent rounded down`(sum: UInt32, expected: Int64) throws {
        #expect(try Yen(sum).withTax().amount == expected)
    }

    @Test(
        arguments: [
            (0, "0"), (7, "7"), (999, "999"), (1_000, "1,000"), (27_996, "27,996"), (1_234_567, "1,234,567"),
        ] as [(UInt32, String)]
    )
    func `sums are grouped by three digits`(sum: UInt32, expected: String) {
        #expect(Yen(sum).grouped == expected)
        #expect(Yen.parse(expected) == Yen(sum))
        #expect(Yen.parse(Yen(sum).digits) == Yen(sum))
    }

    @Test(
        arguments: [
            "", " 1", "1 ", "-1", "+1", "01", "1.0", "1,00", "10,00", "27,9,96", ",1", "1,", "1e3", "１２", "0x10",
            "99999999999999999999", "1,000,000,000,001",
        ]
    )
    func `what is no sum is refused`(text: String) {
        #expect(Yen.parse(text) == nil)
    }

    @Test func `arithmetic refuses to leave the bounds`() throws {
        let most = try #require(Yen(exactly: Yen.limit))
        #expect(Yen(exactly: -1) == nil)
        #expect(Yen(exactly: Yen.limit + 1) == nil)
        #expect(throws: CommerceError.self) { try most.adding(Yen(1)) }
        #expect(throws: CommerceError.self) { try most.times(2) }
        #expect(throws: CommerceError.self) { try most.times(.max) }
        #expect(throws: CommerceError.self) { try most.times(-1) }
        #expect(throws: CommerceError.self) { try most.withTax() }
        #expect(try most.adding(.zero) == most)
    }

    @Test(arguments: Prefecture.allCases)
    func `postage depends on the prefecture`(prefecture: Prefecture) {
        let isFar = prefecture == .okinawa || prefecture == .hokkaido
        #expect(PostageRule.sample.postage(to: prefecture) == Yen(isFar ? 1_080 : 540))
    }
}
