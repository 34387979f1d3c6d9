import CheckoutCodes
import Foundation
import HTTPCore
import MerchantAPI
import MerchantOrders
import Primitives
import ServiceAPI
import SessionBroker
import StrictJSON
import Testing
import Web

/// The regular expressions of the description against the program's own rules.
@Suite("A pattern of the description")
struct SchemaPatternTests {
    private static let document = description([.createSession, .listSessions, .readCharge, .refundCharge])

    private static func pattern(ofBody name: String) throws -> NSRegularExpression {
        let body = document["paths"]?["/v1/sessions"]?["post"]?["requestBody"]
        let schema = body?["content"]?["application/json"]?["schema"]?["properties"]?[name]
        let text = schema?["pattern"]?.text ?? schema?["oneOf"]?.elements.first?["pattern"]?.text
        return try NSRegularExpression(pattern: try #require(text))
    }

    private static func pattern(ofParameter name: String, _ method: String = "get") throws -> NSRegularExpression {
        let parameters = document["paths"]?["/v1/sessions"]?[method]?["parameters"]?.elements ?? []
        let parameter = parameters.first { $0["name"]?.text == name }
        return try NSRegularExpression(pattern: try #require(parameter?["schema"]?["pattern"]?.text))
    }

    @Test func `of a printable text takes the characters that the program takes`() throws {
        let pattern = try Self.pattern(ofBody: "reference")
        for value in UInt32(0)...0xFFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for text in ["\(scalar)", "a\(scalar)a", "a\(scalar)", "\(scalar)a"] {
                let isGood = (try? PrintableText.cleaned(text, length: 1...100)) != nil
                guard pattern.takes(text) != isGood else { continue }
                Issue.record("U+\(Hex.encode([UInt8(value >> 8), UInt8(value & 255)])) in \(text.debugDescription)")
            }
        }
        #expect(pattern.takes("煎茶 👨‍👩‍👧"))
        #expect(!pattern.takes(""))
        #expect(try Self.pattern(ofBody: "note").takes(""))
    }

    @Test func `of a parameter takes the characters that a query can have and the program takes`() throws {
        let pattern = try Self.pattern(ofParameter: "reference")
        for value in UInt32(0)...0xFFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for text in ["\(scalar)", "a\(scalar)a", "a\(scalar)", "\(scalar)a"] {
                let escaped = Array(("a=" + text.utf8.map { "%" + Hex.encode([$0]) }.joined()).utf8)
                let read = try? HTTPParameters(escaped.span).value("a")
                let isGood = read.map { (try? PrintableText.cleaned($0, length: 1...100)) != nil } ?? false
                guard pattern.takes(text) != isGood else { continue }
                Issue.record("U+\(Hex.encode([UInt8(value >> 8), UInt8(value & 255)])) in \(text.debugDescription)")
            }
        }
        #expect(pattern.takes("煎茶 👨‍👩‍👧"))
        #expect(!pattern.takes(""))
    }

    @Test func `of a name takes the characters that are seen`() throws {
        let pattern = try NSRegularExpression(pattern: SchemaPattern.visible)
        for value in UInt32(0)...0xFFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for text in ["\(scalar)", "a\(scalar)a", "a\(scalar)", "\(scalar)a"] {
                guard pattern.takes(text) != PrintableText.isVisible(text, length: 1...100) else { continue }
                Issue.record("U+\(Hex.encode([UInt8(value >> 8), UInt8(value & 255)])) in \(text.debugDescription)")
            }
        }
        #expect(pattern.takes("煎茶 🍵"))
        #expect(!pattern.takes(""))
    }

    @Test func `of a time takes every day that there is and no other`() throws {
        let pattern = try Self.pattern(ofParameter: "updatedAfter")
        for year in [1969, 1970, 1972, 1976, 1980, 1999, 2000, 2004, 2016, 2026, 2096, 2100, 2400, 9999] {
            for month in 0...13 {
                for day in 0...32 {
                    let text = "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)T23:59:59Z"
                    #expect(pattern.takes(text) == (CalendarDate.time(of: text) != nil), "\(text)")
                }
            }
        }
        for text in ["2026-11-20T24:00:00Z", "2026-11-20T12:60:00Z", "2026-11-20T12:00:00+09:00", "20261120T120000Z"] {
            #expect(!pattern.takes(text), "\(text)")
        }
    }

    @Test func `of a key takes what the program reads as one`() throws {
        let pattern = try Self.pattern(ofParameter: "Idempotency-Key", "post")
        let words = [
            "a", "\"a\"", "", "\"", "\"\"", "\"a", "a\"", "a\"b", "\"a\"b\"", "\"a\\\"\"", "\"a\\\\\"", "\"a\\b\"",
            "\"a\\\"", "a\\b",
            "a b", "\"a b\"", "\u{e9}", String(repeating: "a", count: 255), String(repeating: "a", count: 256),
            "\"" + String(repeating: "a", count: 255) + "\"", "\"" + String(repeating: "a", count: 256) + "\"",
        ]
        for word in words + (UInt8(1)...127).map({ String(decoding: [$0], as: UTF8.self) }) {
            #expect(pattern.takes(word) == (IdempotencyWord(word) != nil), "\(word.debugDescription)")
        }
    }

    @Test func `of a number takes what the program reads as one`() throws {
        let pattern = try Self.pattern(ofParameter: "number")
        for byte in UInt8(1)...127 {
            let one = String(decoding: [byte], as: UTF8.self)
            for text in [
                "4F7K\(one)-2QX8M", "4F7K\(one)2QX8M", "4F7K9\(one)2QX8M", "4F7K92QX8\(one)", "4F7K92QX8M\(one)",
            ] {
                #expect(pattern.takes(text) == (OrderNumber(typed: text) != nil), "\(text.debugDescription)")
            }
        }
        for text in ["4F7K\u{131}-2QX8M", "4F7K\u{17F}-2QX8M", "\u{FF14}F7K92QX8M", ""] {
            #expect(!pattern.takes(text) && OrderNumber(typed: text) == nil)
        }
    }

    @Test(arguments: [
        "https://shop.example.com", "https://shop.example.com/", "https://shop.example.com:8443/a?b=c&d=%20",
        "https://a.example/~b", "https://127.0.0.1/x", "http://shop.example.com/", "https://shop.example.com?a=b",
        "https://shop.example.com/#a", "https://SHOP.example.com/", "https://user@shop.example.com/", "https:///a",
        "https://shop.example.com/ a", "https://shop.example.com/\u{E9}", "https://shop.example.com/[a]",
        "shop.example.com",
        "https://shop.example.com:0/", "https://shop.example.com:9/", "https://shop.example.com:9999/",
        "https://shop.example.com:59999/", "https://shop.example.com:64999/", "https://shop.example.com:65499/",
        "https://shop.example.com:65529/", "https://shop.example.com:65535/", "https://shop.example.com:65536/",
        "https://shop.example.com:65540/", "https://shop.example.com:65600/", "https://shop.example.com:66000/",
        "https://shop.example.com:70000/", "https://shop.example.com:100000/", "https://-shop.example.com/",
        "https://shop..example.com/",
    ])
    func `of an address takes what the program reads as one`(address: String) throws {
        let pattern = try Self.pattern(ofBody: "returnUrl")
        #expect(pattern.takes(address) == (CallbackOrigin(of: address) != nil))
    }

    @Test func `says of which sort a session is`() throws {
        let body = Self.document["paths"]?["/v1/sessions"]?["post"]?["requestBody"]
        let sorts = body?["content"]?["application/json"]?["schema"]?["oneOf"]?.elements ?? []
        let clients = sorts.flatMap { $0["properties"]?["client"]?["enum"]?.elements.compactMap(\.text) ?? [] }
        let apps = Array(repeating: ["iosApp", "androidApp"], count: 4).flatMap(\.self)
        #expect(clients == apps + Array(repeating: "site", count: 4) + ["mobileApp", "mobileApp"])
        let required = sorts.map { $0["required"]?.elements.compactMap(\.text) ?? [] }
        let tabs = [["client"], ["client", "returnUrl"]]
        let kinds = tabs.flatMap { [$0 + ["postage"], $0 + ["delivery"]] } + [["client", "mobile", "postage"]]
        #expect(required == kinds.flatMap { [$0 + ["tax"], $0 + ["pricesIncludeTax"]] })
        let postage = sorts.map { $0["properties"]?["postage"]?["required"]?.elements.compactMap(\.text) ?? [] }
        let nothing = Array(repeating: [String](), count: 8)
        #expect(postage == nothing + [["amount"], ["amount"]], "all rules about one member are one schema")
    }

    @Test func `takes no name of a field that has none`() {
        #expect(Failure(.invalidRequest, field: "").field == nil)
        #expect(Failure(.invalidRequest, field: "").json["field"] == nil)
        #expect(Failure(.invalidRequest, field: "a").field == "a")
    }

    @Test func `describes that a document may be there already, and under which licence it is`() {
        let document = description([])
        let operation = document["paths"]?["/v1/openapi.json"]?["get"]
        #expect(operation?["responses"]?.members.map(\.name) == ["200", "304"])
        #expect(operation?["parameters"]?.elements.map { $0["name"]?.text } == ["If-None-Match"])
        #expect(document["info"]?["license"]?["identifier"]?.text == "Apache-2.0")
    }
}

extension NSRegularExpression {
    fileprivate func takes(_ text: String) -> Bool {
        // All of it: `$` is also before a line's end here, while to a schema it is the end.
        let range = NSRange(text.startIndex..., in: text)
        return firstMatch(in: text, range: range)?.range == range
    }
}
