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

    @Test func `come back with the reason why nothing is sent`() throws {
        let sentences =
            [("離島には\"お送り\"できません。", "No islands."), ("離島", nil), (nil, "No islands.")] as [(String?, String?)]
        let said = try sentences.map { Undeliverable.said(try #require(BuyerSentence(japanese: $0.0, english: $0.1))) }
        for reason in said + [.restricted] {
            let refused = PrivateDetails(buyer: details.buyer, address: details.address, undeliverable: reason)
            #expect(try PrivateDetails(stored: refused.bytes) == refused)
            #expect(try PrivateDetails(stored: refused.bytes).undeliverable == reason)
            var dumped = ""
            dump(refused, to: &dumped)
            #expect(
                !dumped.contains("離島") && !"\(reason)".contains("離島")
                    && !String(reflecting: reason).contains("No islands")
            )
        }
        #expect(BuyerSentence(japanese: nil, english: nil) == nil)
    }

    @Test func `the same details always give the same bytes`() {
        var address = Address()
        address[.postalCode] = "900-0001"
        address[.stateOrRegion] = "沖縄県"
        address[.name] = "購入者"
        let other = PrivateDetails(buyer: details.buyer, address: address, payment: details.payment)
        #expect(other.bytes == details.bytes)
    }

    @Test func `lend a part of the address as it goes into a page`() throws {
        let address = try PrivateDetails(stored: details.bytes).address
        let name = address.withBytes(of: .name) { part in part.indices.map { part[$0] } }
        #expect(name == Array("購入者".utf8))
        #expect(address.withBytes(of: .city) { $0.count } == nil)
    }

    @Test func `a changed byte is refused or changes a text`() {
        let bytes = details.bytes
        for index in bytes.indices {
            var changed = bytes
            changed[index] = UInt8(ascii: "#")
            let read = try? PrivateDetails(stored: changed)
            #expect(read != details, "byte \(index)")
            #expect(read == nil || read?.bytes == changed || bytes[index] > 0x7F, "byte \(index)")
        }
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
