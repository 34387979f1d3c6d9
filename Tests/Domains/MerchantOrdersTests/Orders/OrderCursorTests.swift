import MerchantOrders
import Primitives
import Testing

@Suite("A place in the list of orders")
struct OrderCursorTests {
    @Test func `comes back from its text`() {
        let webviewSession = UUIDBytes(high: 0x01A1_FCDD_1D14_7ABC, low: 0x8123_4567_89AB_CDEF)
        let text = OrderCursor(after: webviewSession).text
        #expect(text.utf8.count == 22)
        #expect(OrderCursor(text)?.webviewSession == webviewSession)
    }

    @Test(arguments: [
        "", "AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAB", "AAAAAAAAAAAAAAAAAAAAA=",
        "01a1fcdd-1d14-7abc-8123-456789abcdef", "AAAAAAAAAAAAAAAAAAAAA'",
    ])
    func `is not read from any other text`(text: String) {
        #expect(OrderCursor(text) == nil)
    }
}
