import Commerce
import MerchantAPI
import Primitives
import Testing

@Suite("A question for the postage")
struct PostageQuestionTests {
    private static let address = Address([
        .name: "見本 太郎", .addressLine1: "目黒区下目黒1-8-1", .stateOrRegion: "東京都", .postalCode: "153-0064",
        .countryCode: "JP", .phoneNumber: "0312345678",
    ])

    private static func question(_ price: Int64 = 2_400, to address: Address = address) throws -> PostageQuestion {
        let session = try #require(UUIDBytes("019aa000-0000-7000-8000-000000000001"))
        let article = Article(id: "tea", name: "Sencha", price: try #require(Yen(exactly: price)))
        let order = try Order(lines: [try OrderLine(article: article, quantity: 1)], tax: Yen(240))
        return PostageQuestion(session, order, to: PostageQuestion.Destination(address))
    }

    private static func answer(_ amount: String, _ currency: String = "JPY") -> String {
        #"{"amount":{"amount":"\#(amount)","currencyCode":"\#(currency)"}}"#
    }

    @Test func `says what prices go by, and nothing that names a person or a house`() throws {
        let body = String(decoding: try Self.question().body, as: UTF8.self)
        #expect(
            body == """
                {"sessionId":"019aa000-0000-7000-8000-000000000001","currency":"JPY",\
                "subtotal":{"amount":"2400","currencyCode":"JPY"},"pricesIncludeTax":false,\
                "address":{"countryCode":"JP","stateOrRegion":"東京都","postalCode":"153-0064","prefecture":"JP-13"}}
                """
        )
        let bare = String(decoding: try Self.question(to: Address()).body, as: UTF8.self)
        #expect(
            bare.hasSuffix(#""address":{"countryCode":null,"stateOrRegion":null,"postalCode":null,"prefecture":null}}"#)
        )
    }

    @Test(
        arguments: [
            ("沖縄", "900-0015", "\"JP-47\""), ("OKINAWA-KEN", nil, "\"JP-47\""), (nil, "060-0001", "\"JP-01\""),
            ("東京都", "900-0015", "null"), (nil, "498-0000", "null"), ("その他", nil, "null"),
        ] as [(String?, String?, String)]
    )
    func `names the prefecture that region and postal code come to, however they are written`(
        region: String?,
        code: String?,
        expected: String
    ) throws {
        var address = Self.address
        address[.stateOrRegion] = region
        address[.postalCode] = code
        let body = String(decoding: try Self.question(to: address).body, as: UTF8.self)
        #expect(body.hasSuffix(#","prefecture":\#(expected)}}"#), "\(body)")
    }

    @Test func `has the same destination next door, and another one in another place`() {
        var other = Self.address
        other[.addressLine1] = "目黒区下目黒1-8-2"
        #expect(PostageQuestion.Destination(other) == PostageQuestion.Destination(Self.address))
        other[.postalCode] = "153-0065"
        #expect(PostageQuestion.Destination(other) != PostageQuestion.Destination(Self.address))
    }

    @Test(arguments: ["0", "540", "9997360"])
    func `takes one amount in the order's currency`(amount: String) throws {
        let answer = try Self.question().reading(Array(Self.answer(amount).utf8))
        #expect(answer == .postage(try #require(Yen.parse(amount))))
    }

    @Test(
        arguments: [
            "", "540", "[]", "{}", #"{"amount":"540"}"#, #"{"amount":540}"#, #"{"amount":null}"#, answer("-1"),
            answer("5.40"), answer("0540"), answer("1e3"), answer(""), answer("540", "jpy"), answer("540") + " x",
            #"{"amount":{"amount":540,"currencyCode":"JPY"}}"#, #"{"amount":{"amount":"540"}}"#,
            #"{"amount":{"amount":"540","currencyCode":"JPY"},"more":1}"#,
            #"{"amount":{"amount":"540","currencyCode":"JPY","more":1}}"#,
            #"{"amount":{"amount":"540","amount":"1","currencyCode":"JPY"}}"#,
            #"{"amount":{"amount":"540","currencyCode":"JPY"},"amount":{"amount":"1","currencyCode":"JPY"}}"#,
        ]
    )
    func `takes no other answer`(answer: String) throws {
        #expect(throws: PostageRefusal.unreadable) { try Self.question().reading(Array(answer.utf8)) }
    }

    @Test(
        arguments: [
            (
                #"{"ja":"離島にはお送りできません。","en":"We do not ship to islands."}"#, "離島にはお送りできません。",
                "We do not ship to islands."
            ),
            (#"{"ja":"<b>"}"#, "<b>", nil), (#"{"en":"No.","ja":null}"#, nil, "No."),
            (#"{"en":"\ufeff No\u200b\tisland.\r\n","ja":""}"#, nil, "No island."),
            (#"{"ja":"a\nb","en":"\u2060"}"#, "a b", nil),
        ] as [(String, String?, String?)]
    )
    func `may be answered with a sentence for the buyer instead`(
        sentence: String,
        japanese: String?,
        english: String?
    )
        throws
    {
        let answer = try Self.question().reading(Array(#"{"undeliverable":\#(sentence)}"#.utf8))
        let expected = try #require(BuyerSentence(japanese: japanese, english: english))
        #expect(answer == .undeliverable(.said(expected)))
    }

    @Test(
        arguments: [
            "{}", #"{"ja":null}"#, #"{"ja":"","en":" "}"#, #"{"ja":"\ufeff"}"#, #"{"ja":"a\u202e"}"#,
            #"{"ja":"a\u0007"}"#,
            #"{"de":"Nein."}"#,
            #"{"ja":"a","more":1}"#, #"{"ja":1}"#, #"{"ja":"\#(String(repeating: "a", count: 256))"}"#,
        ]
    )
    func `takes no sentence that buyers cannot be shown`(sentence: String) throws {
        #expect(throws: PostageRefusal.sentence) {
            try Self.question().reading(Array(#"{"undeliverable":\#(sentence)}"#.utf8))
        }
    }

    @Test(arguments: [
        #"{"undeliverable":true}"#, #"{"undeliverable":{"ja":"a"},"amount":{"amount":"1","currencyCode":"JPY"}}"#,
    ])
    func `takes no sentence beside an amount, and no refusal without one`(answer: String) throws {
        #expect(throws: PostageRefusal.unreadable) { try Self.question().reading(Array(answer.utf8)) }
    }

    @Test func `takes no other currency, and nothing that could not be charged`() throws {
        #expect(throws: PostageRefusal.currency) {
            try Self.question().reading(Array(Self.answer("5.40", "USD").utf8))
        }
        #expect(throws: PostageRefusal.ceiling) {
            try Self.question().reading(Array(Self.answer("9997361").utf8))
        }
        #expect(throws: PostageRefusal.ceiling) {
            try Self.question().reading(Array(Self.answer("999999999999").utf8))
        }
    }
}
