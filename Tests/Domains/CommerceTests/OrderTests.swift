import Commerce
import Testing

@Suite("An order")
struct OrderTests {
    @Test func `the default cart has the sums of the sample shop`() throws {
        let order = try Catalogue.sample.order(["hd8": 1, "hd10": 1])
        #expect(order.subtotal == Yen(27_456) && order.tax == .zero)
        #expect(order.taxIncluded == Yen(27_456))
        #expect(try order.taxIncluded.adding(Yen(540)).grouped == "27,996")
        #expect(try order.taxIncluded.adding(Yen(1_080)).grouped == "28,536")
    }

    @Test(
        arguments: [
            ([:], .empty), (["hd8": 0, "hd10": 0], .empty), (["hd12": 3], .empty), (["hd8": 100], .quantity),
            (["hd8": -1, "hd10": 1], .quantity), (["hd10": .max], .quantity),
        ] as [([String: Int], CommerceError.Code)]
    )
    func `quantities outside one to ninety-nine are refused`(quantities: [String: Int], code: CommerceError.Code) {
        let error = #expect(throws: CommerceError.self) { try Catalogue.sample.order(quantities) }
        #expect(error?.code == code)
    }

    @Test(arguments: [("0", 0), ("1", 1), ("99", 99)])
    func `a quantity is read strictly`(text: String, expected: Int) {
        #expect(OrderLine.parseQuantity(text) == expected)
    }

    @Test(arguments: ["", "00", "01", "100", "-1", "+1", " 1", "1 ", "1.0", "1e1", "１", "0x1", "\u{0}1"])
    func `what is no quantity is refused`(text: String) {
        #expect(OrderLine.parseQuantity(text) == nil)
    }

    @Test func `an article twice is refused`() throws {
        let line = try OrderLine(article: Catalogue.sample.entries[0].article, quantity: 1)
        #expect(throws: CommerceError.self) { try Order(lines: [line, line]) }
    }

    @Test func `the stored form is canonical and comes back`() throws {
        let order = try Catalogue.sample.order(["hd8": 2, "hd10": 1])
        #expect(
            String(decoding: order.json, as: UTF8.self)
                == #"[{"id":"item0008","name":"Fire HD8","price":9878,"quantity":2,"rate":10},"#
                + #"{"id":"item0010","name":"Fire HD10","price":17578,"quantity":1,"rate":10}]"#
        )
        #expect(try Order(json: order.json, subtotal: order.subtotal, beforePostage: order.taxIncluded.amount) == order)
    }

    @Test func `the sums of the day are kept`() throws {
        let article = Article(id: "item0008", name: "Fire HD8", price: Yen(8_980))
        let order = try Order(lines: [OrderLine(article: article, quantity: 1)])
        let earlier = try Order(json: order.json, subtotal: order.subtotal, beforePostage: 9_698)
        #expect(earlier.taxIncluded == Yen(9_698))
    }

    @Test func `names with quotes, backslashes, controls and kanji come back`() throws {
        let article = Article(id: "x", name: "a\"b\\c\u{1}\n端末", price: Yen(5))
        let order = try Order(lines: [OrderLine(article: article, quantity: 3)])
        let back = try Order(json: order.json, subtotal: order.subtotal, beforePostage: order.taxIncluded.amount)
        #expect(back.lines[0].article == article)
    }

    @Test(
        arguments: [
            "", "[", "[]", "{}", "[1]", "null", "[{}]", #"[{"id":"a","name":"b","price":1}]"#,
            #"[{"id":"a","name":"b","price":-1,"quantity":1}]"#, #"[{"id":"a","name":"b","price":1,"quantity":10000}]"#,
            #"[{"id":"a","name":"b","price":1.5,"quantity":1}]"#, #"[{"id":"a","name":"b","price":01,"quantity":1}]"#,
            #"[{"id":"a","name":"b","price":1,"quantity":1}] "# + "x", #"[{"id":"a"#,
            #"[{"id":"\u0100"}]"#, "[[[[[[[[[[",
            #"[{"id":"a","name":"b","price":99999999999999999999,"quantity":1}]"#,
            #"[{"id":"a","name":"b","price":1,"quantity":1,"rate":9}]"#,
            #"[{"id":"a","name":"b","price":1,"quantity":1,"rate":8},{"postage":1}]"#,
            #"[{"id":"a","name":"b","price":1,"quantity":1,"rate":8},{"id":"b","name":"b","price":0,"quantity":1}]"#,
            #"[{"id":"a","name":"b","price":1,"quantity":1,"rate":8},{"discount":"b","amount":1,"rate":10}]"#,
        ]
    )
    func `a stored cart that is not ours is refused`(json: String) {
        #expect(throws: CommerceError.self) {
            try Order(json: Array(json.utf8), subtotal: Yen(1), beforePostage: 1)
        }
    }

    @Test func `adjustments are stored behind the lines and come back`() throws {
        let article = Article(id: "x", name: "Tea", price: Yen(1_000))
        let adjustments = [
            try #require(Adjustment(name: "Points \"5\"", units: -300)),
            try #require(Adjustment(name: "Wrap", units: 100)),
            try #require(Adjustment(name: "None", units: 0)),
        ]
        let order = try Order(
            lines: [OrderLine(article: article, quantity: 9_999)],
            tax: Yen(80),
            adjustments: adjustments
        )
        #expect(order.taxIncluded == Yen(9_999_080) && order.beforePostage == 9_998_880)
        #expect(
            String(decoding: order.json, as: UTF8.self)
                == #"[{"id":"x","name":"Tea","price":1000,"quantity":9999},{"discount":"Points \"5\"","amount":300},"#
                + #"{"fee":"Wrap","amount":100},{"fee":"None","amount":0}]"#
        )
        #expect(try Order(json: order.json, subtotal: order.subtotal, beforePostage: order.beforePostage) == order)
    }

    @Test func `no more is taken off than there is`() throws {
        let line = try OrderLine(article: Article(id: "x", name: "Tea", price: Yen(100)), quantity: 1)
        let all = try #require(Adjustment(name: "All", units: -110))
        #expect(try Order(lines: [line], tax: Yen(10), adjustments: [all]).beforePostage == 0)
        let more = try #require(Adjustment(name: "More", units: -111))
        #expect(throws: CommerceError.self) { try Order(lines: [line], tax: Yen(10), adjustments: [more]) }
        let sent = try Order(lines: [line], tax: Yen(10), adjustments: [more], sparing: Yen(1))
        #expect(sent.beforePostage == -1 && sent.total(with: Yen(540)) == Yen(539) && sent.total(with: .zero) == nil)
        #expect(try Order(json: sent.json, subtotal: sent.subtotal, beforePostage: -1) == sent)
        #expect(Adjustment(name: "x", units: .min) == nil && Adjustment(name: "x", units: Money.limit + 1) == nil)
    }

    @Test func `an article twice among many is refused`() throws {
        var lines = try (0..<200).map { number in
            try OrderLine(article: Article(id: "item \(number)", name: "Tea", price: Yen(1)), quantity: 1)
        }
        #expect(try Order(lines: lines).subtotal == Yen(200))
        lines.append(lines[77])
        #expect(throws: CommerceError.self) { try Order(lines: lines) }
    }

    @Test func `lines that do not add up to the subtotal are refused`() throws {
        let order = try Catalogue.sample.order(["hd8": 1])
        #expect(throws: CommerceError.self) {
            try Order(json: order.json, subtotal: Yen(9_879), beforePostage: order.taxIncluded.amount)
        }
    }
}
