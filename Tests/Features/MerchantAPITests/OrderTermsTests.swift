import Commerce
import MerchantAPI
import MerchantOrders
import Primitives
import Testing

@Suite("The terms of an order")
struct OrderTermsTests {
    private func draft(_ postage: Postage, _ options: OrderDraft.Options = .init()) throws -> OrderDraft {
        let price = try #require(Money(units: 1_200, .jpy))
        return try OrderDraft(
            reference: "A-1",
            lines: [DraftLine(id: "a", name: "A", unitPrice: price, quantity: 2)],
            tax: .nothing(.jpy),
            postage: postage,
            options: options
        )
    }

    private func text(_ stored: [UInt8]?) -> String? {
        stored.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `of the shop itself follow from settings, and nothing is stored for them`() throws {
        let shop = OwnShop(.sample, sentBy: .sample, .automatic)
        let terms = OrderTerms(shop)
        #expect(terms.stored == nil && terms.captureMode == .automatic && terms.postage == .byAddress(.sample))
        let order = try Catalogue.sample.order(["hd8": 1, "hd10": 2])
        #expect(OrderTerms(try OrderDraft(order, of: shop)) == terms)
    }

    @Test func `come back as they were stored`() throws {
        var options = OrderDraft.Options()
        options.returnURL = "https://shop.example.com/back?x=1"
        options.captureMode = .automatic
        options.note = "A \"gift\""
        options.hasUniqueReference = true
        let postage = try #require(Money(units: 540, .jpy))
        let terms = try #require(OrderTerms(try draft(.fixed(postage), options)))
        #expect(OrderTerms(stored: try #require(terms.stored)) == terms && terms.hasUniqueReference)
        #expect(
            text(terms.stored)
                == #"{"postage":540,"reference":"A-1","note":"A \"gift\"","returnUrl":"https://shop.example.com/back?x=1","capture":"automatic","uniqueReference":true}"#
        )
    }

    @Test(arguments: [
        ("https://shop.example.com/back", nil), ("https://shop.example.com/back?x=1&y", nil),
        ("https://shop.example.com/orderReferenceId=1", nil), ("https://shop.example.com/?x=orderReferenceId", nil),
        ("https://shop.example.com/?secureWebviewSessionId=1", "secureWebviewSessionId"),
        ("https://shop.example.com/?x=%83%65&orderReferenceId", "orderReferenceId"),
        ("https://shop.example.com/?%83%65=1&order%52eferenceId=", "orderReferenceId"),
        ("https://shop.example.com/?a?b&orderReferenceId=2", "orderReferenceId"),
    ])
    func `have no way back that says twice what came back`(address: String, name: String?) {
        #expect(OrderTerms.reservedName(in: address) == name)
    }

    @Test func `of the shop itself have no reference`() throws {
        let terms = try #require(OrderTerms(stored: Array(#"{"postage":540}"#.utf8)))
        #expect(terms.reference == nil)
    }

    @Test func `remember how an app's payload was signed`() throws {
        var terms = try #require(OrderTerms(try draft(.fixed(.nothing(.jpy)))))
        terms.handlesPending = true
        terms.addressMark = Digest32(Array(repeating: 7, count: 32).span)
        let stored = try #require(terms.stored)
        #expect(OrderTerms(stored: stored) == terms)
        let cut = String(decoding: stored, as: UTF8.self).replacing("0707", with: "07")
        #expect(OrderTerms(stored: Array(cut.utf8)) == nil, "no address is not a broken mark")
    }

    @Test func `remember whether and where something is sent`() throws {
        var options = OrderDraft.Options()
        options.restrictions = DeliveryRestrictions(.notAllowed, prefectures: [.okinawa], postalCodes: ["100-21*"])
        let terms = try #require(OrderTerms(try draft(.fixed(.nothing(.jpy)), options)))
        #expect(OrderTerms(stored: try #require(terms.stored)) == terms)
        #expect(
            text(terms.stored)
                == #"{"postage":0,"reference":"A-1","deliveryRestrictions":{"type":"NotAllowed","restrictions":{"JP":"#
                + #"{"statesOrRegions":["沖縄県"],"zipCodes":["100-21*"]}}}}"#
        )
        #expect(OrderTerms(stored: Array(#"{"postage":0,"deliveryRestrictions":{"type":"Some"}}"#.utf8)) == nil)
        options = OrderDraft.Options()
        options.hasDelivery = false
        let download = try #require(OrderTerms(try draft(.fixed(.nothing(.jpy)), options)))
        #expect(!download.hasDelivery)
        #expect(OrderTerms(stored: try #require(download.stored)) == download)
        #expect(text(download.stored) == #"{"postage":0,"reference":"A-1","delivery":false}"#)
    }

    @Test func `remember where the postage is to be asked for`() throws {
        let terms = try #require(OrderTerms(try draft(.callback("https://shop.example.com/postage"))))
        #expect(OrderTerms(stored: try #require(terms.stored)) == terms)
        #expect(text(terms.stored) == #"{"postageCallback":"https://shop.example.com/postage","reference":"A-1"}"#)
    }

    @Test func `are none where the postage is neither known nor to be asked for`() throws {
        #expect(OrderTerms(stored: Array(#"{"postage":-1}"#.utf8)) == nil)
        #expect(OrderTerms(stored: Array(#"{"postage":1,"capture":"never"}"#.utf8)) == nil)
        #expect(OrderTerms(stored: Array("{}".utf8)) == nil)
        #expect(OrderTerms(stored: Array("[".utf8)) == nil)
    }

    @Test(
        arguments: zip(
            ["https://a.example/", "https://a.example/?x=1", "https://a.example/?", "https://a.example/?x=1&"],
            ["/?secure", "/?x=1&secure", "/?secure", "/?x=1&secure"]
        )
    )
    func `add to the address that a buyer goes back to`(_ address: String, _ part: String) throws {
        var options = OrderDraft.Options()
        options.returnURL = address
        let terms = try #require(OrderTerms(try draft(.fixed(.nothing(.jpy)), options)))
        let back = try #require(terms.returnAddress(ticket: "swc_x", orderReference: "ref"))
        #expect(back.contains(part + "WebviewSessionId=swc_x&orderReferenceId=ref"))
    }
}
