import Foundation
import HTTPCore
import Primitives
import ServiceAPI
import StrictJSON
import Testing
import Web

@testable import Wallet

/// The texts of requests, by the description of the interface and by the program.
@Suite struct `A text of a request` {
    private static let document = OpenAPIDocument([
        DescribedRoutes(WalletPart.serviceRoutes.map(\.description), WalletPart.rules)
    ]).json(server: "https://shop.example", version: "1")

    private static let texts =
        [
            "", " ", "a", "a b", " a", "a ", "\u{3000}a", "a\u{A0}", "a\tb", "a\nb", "a\r\n", "\na", "a\u{2028}b",
            "a\u{0}", "\u{1}", "a\u{7F}b", "a\u{85}b", "a\u{9F}", "\u{200B}", "\u{200B}a", "a\u{200B}b", "a\u{FEFF}",
            "a\u{AD}b", "\u{202E}a", "a\u{202E}b", "a\u{200F}", "\u{2066}a\u{2069}", "a\u{61C}b", "a\u{FFF9}b",
            "a\u{600}b", "☕\u{FE0F}", "👩\u{200D}🚀", "a\u{200D}b", "山田 花子", "Ä", "A\u{308}", "\u{308}", "🍵", "\"a\"",
            "<b>&", "\\", "{\"a\":1}",
        ]
        + [1, 64, 65, 128, 129, 200, 201, 255, 256, 1_024, 1_025].flatMap { count in
            ["x", "顧", "🍵"].map { String(repeating: $0, count: count) }
        }

    private static func body(_ path: String) -> JSONValue? {
        let operation = document["paths"]?[path]?["post"]
        return operation?["requestBody"]?["content"]?["application/json"]?["schema"]?["properties"]
    }

    /// Whether a draft with the member is made.
    private static func isTaken(_ name: String, _ value: JSONValue, idName: String = "externalId") throws -> Bool {
        let others: [JSONMember] = name == idName ? [] : [JSONMember(idName, "m-1")]
        let reader = try JSONReader(.object(others + [JSONMember(name, value)]))
        do throws(Failure) {
            _ = try MemberDraft(reader, idName: idName)
            return true
        } catch {
            #expect(error.code == .invalidRequest && error.field?.hasPrefix(name) == true)
            return false
        }
    }

    @Test(arguments: [("/v1/wallet/members", "externalId"), ("/member", "id")])
    func `is taken as the description says`(path: String, idName: String) throws {
        let members = try #require(Self.body(path))
        let (id, name) = (try Described(members[idName]), try Described(members["name"]))
        let values = try #require(members["fields"]?["oneOf"]?.elements.first)
        let value = try Described(values["additionalProperties"]?["oneOf"]?.elements.first)
        let fieldName = try Described(values["propertyNames"])
        for text in Self.texts {
            let shown = Comment(rawValue: "\(text.prefix(9).debugDescription), \(text.unicodeScalars.count)")
            #expect(try Self.isTaken(idName, .string(text), idName: idName) == id.takes(text), shown)
            #expect(try Self.isTaken("name", .string(text), idName: idName) == name.takes(text), shown)
            let (field, named) = (JSONMember("rank", .string(text)), JSONMember(text, 1))
            #expect(try Self.isTaken("fields", .object([field]), idName: idName) == value.takes(text), shown)
            #expect(try Self.isTaken("fields", .object([named]), idName: idName) == fieldName.takes(text), shown)
        }
    }

    @Test func `is no value of another sort, under no name of the member, and not one too many`() throws {
        let described = try #require(Self.body("/v1/wallet/members")?["fields"]?["oneOf"]?.elements.first)
        let number = described["additionalProperties"]?["oneOf"]?.elements.last
        #expect(number?["minimum"]?.integer == -9_007_199_254_740_991)
        for (value, isGood) in [
            (JSONValue(9_007_199_254_740_991), true), (JSONValue(9_007_199_254_740_992), false), (.bool(true), false),
            (.null, false), (["a"], false), (["a": "b"], false), (try JSONParser.parse(Array("1.5".utf8)), false),
        ] {
            #expect(try Self.isTaken("fields", .object([JSONMember("rank", value)])) == isGood, "\(value)")
        }
        #expect(described["properties"]?.members.map(\.name) == ["name", "points", "memberId"])
        for member in described["properties"]?.members ?? [] {
            #expect(member.value == ["not": [:]])
            #expect(try !Self.isTaken("fields", .object([JSONMember(member.name, 1)])))
        }
        let most = try #require(described["maxProperties"]?.integer)
        let fields = (0...most).map { JSONMember("f\($0)", 1) }
        #expect(try Self.isTaken("fields", .object(fields.dropLast())))
        #expect(try !Self.isTaken("fields", .object(fields)))
    }

    @Test func `of a search is taken as the description says`() async throws {
        try await withWallet { wallet in
            let shop = try ShopProgram(wallet, scopes: "wallet:read")
            let parameters = Self.document["paths"]?["/v1/wallet/members"]?["get"]?["parameters"]?.elements ?? []
            for name in ["name", "externalId"] {
                let described = try Described(parameters.first { $0["name"]?.text == name }?["schema"])
                for text in Self.texts {
                    let value = text.utf8.map { "%" + Hex.encode([$0]) }.joined()
                    let status = try await shop.ask(.get, "/v1/wallet/members?\(name)=\(value)").status
                    #expect(status == (described.takes(text) ? 200 : 400), "\(name) \(text.prefix(9).debugDescription)")
                }
            }
        }
    }

    @Test func `is kept without what nobody sees, and found so`() async throws {
        try await withWallet { wallet in
            let shop = try ShopProgram(wallet, scopes: "wallet:read,wallet:write")
            let sent = #"{"externalId":"m-1","name":" 山田\u3000花子\u200b\n","fields":{}}"#
            #expect(try await shop.ask(.post, "/v1/wallet/members", sent).status == 201)
            let word = "%20%E5%B1%B1%E7%94%B0%E2%80%8B"
            let (_, list) = try await shop.ask(.get, "/v1/wallet/members?name=\(word)")
            #expect(list["data"]?.elements.map { $0["name"]?.text } == ["山田\u{3000}花子"])
        }
    }
}

/// A text as the description has it: length in characters, and pattern.
private struct Described {
    private let length: ClosedRange<Int>?
    private let pattern: NSRegularExpression?

    /// Of a member that may be absent, too.
    init(_ schema: JSONValue?) throws {
        let schema = try #require(schema?["oneOf"]?.elements.first ?? schema)
        if let most = schema["maxLength"]?.integer {
            length = (schema["minLength"]?.integer ?? 0)...most
        } else {
            length = nil
        }
        pattern = try schema["pattern"]?.text.map { try NSRegularExpression(pattern: $0) }
        #expect(pattern != nil)
    }

    func takes(_ text: String) -> Bool {
        let range = NSRange(text.startIndex..., in: text)
        // All of it: `$` is also before a line's end here, while to a schema it is the end.
        let fits = pattern.map { $0.firstMatch(in: text, range: range)?.range == range } ?? true
        return fits && length?.contains(text.unicodeScalars.count) != false
    }
}
