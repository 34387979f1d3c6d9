import CBOR
import Testing

@Suite("A CBOR value")
struct CBORValueTests {
    @Test func `keeps the order of its entries`() {
        let one = CBOREntry(.text("a"), .unsigned(1))
        let other = CBOREntry(.text("b"), .unsigned(2))
        #expect(CBORValue.map([one, other]) != .map([other, one]))
    }
}
