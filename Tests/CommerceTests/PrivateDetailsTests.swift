import Commerce
import Testing

@Suite("Private details")
struct PrivateDetailsTests {
    private let details = PrivateDetails(
        buyer: Buyer(id: "amzn1.account.X", name: "購入者 \"Q\"", email: "buyer@example.com"),
        address: Address([.name: "購入者", .stateOrRegion: "沖縄県", .postalCode: "900-0001", .city: ""]),
        payment: "Visa ****1111"
    )

    @Test func `come back from their bytes`() throws {
        #expect(try PrivateDetails(stored: details.bytes) == details)
        #expect(try PrivateDetails(stored: details.bytes).bytes == details.bytes)
    }

    @Test func `the same details always give the same bytes`() {
        var address = Address()
        address[.postalCode] = "900-0001"
        address[.stateOrRegion] = "沖縄県"
        address[.name] = "購入者"
        let other = PrivateDetails(buyer: details.buyer, address: address, payment: details.payment)
        #expect(other.bytes == details.bytes)
    }

    @Test func `empty texts count as missing`() throws {
        #expect(details.address[.city] == nil)
        #expect(Buyer(name: "").name == nil)
        let empty = PrivateDetails(buyer: Buyer(), address: Address(), payment: "")
        #expect(empty.payment == nil)
        #expect(empty.address.isEmpty)
        #expect(try PrivateDetails(stored: empty.bytes) == empty)
    }

    @Test func `print as a placeholder`() {
        var dumped = ""
        dump(details, to: &dumped)
        for text in ["\(details)", String(reflecting: details), dumped, "\(details.address)", "\(details.buyer)"] {
            #expect(!text.contains("購入者"))
            #expect(!text.contains("example.com"))
        }
    }

    @Test(arguments: ["", "{}", "[]", "null", #"{"buyer":{}}"#, #"{"address":{}}"#, "{\"buyer\":"])
    func `bytes that are not ours are refused`(text: String) {
        #expect(throws: CommerceError.self) { try PrivateDetails(stored: Array(text.utf8)) }
    }
}
