import Primitives
import StrictJSON
import Testing
import WalletPass

@Suite("A template that is filled")
struct FillTests {
    private func field(_ pass: JSONValue, _ group: String) -> JSONValue? {
        pass["storeCard"]?[group]?.elements.first
    }

    @Test func `keeps numbers as numbers where the format has them, and as digits elsewhere`() throws {
        let template = try Templates.member()
        #expect(template.placeholders.sorted() == ["name", "number", "points"])
        let pass = try Templates.pass(template.content(Templates.values()))
        #expect(field(pass, "primaryFields")?["value"] == 1_200)
        #expect(pass["semantics"]?["balance"]?["amount"] == "1200")
    }

    @Test func `has sorted members and no line break`() throws {
        let content = try Templates.member().content(Templates.values())
        let pass = try Templates.pass(content)
        #expect(pass.members.map(\.name) == pass.members.map(\.name).sorted())
        #expect(!content.json.contains(UInt8(ascii: "\n")))
    }

    @Test(arguments: [
        #"","x":""#, "}]}", "\\", "\u{0}", "{{points}}", "<b>&'\"", "%@ %d", "a\nb", "\u{202E}", "%s{{", "\u{1F600}",
    ])
    func `takes any name for a name`(name: String) throws {
        let template = try Templates.member()
        let pass = try Templates.pass(template.content(Templates.values(name: name)))
        let plain = try Templates.pass(template.content(Templates.values()))
        #expect(pass.members.map(\.name) == plain.members.map(\.name))
        #expect(field(pass, "secondaryFields")?["value"] == .string(name))
        #expect(pass["description"] == .string("Card of " + name))
        #expect(pass["barcodes"] == plain["barcodes"])
    }

    @Test func `has no markup of a member's, and no key of a translation`() throws {
        let template = try Templates.member()
        let marked = try Templates.pass(template.content(Templates.values(name: "</a><a href='javascript:'>&\"")))
        let text =
            "<a href='https://shop.example/m-000123'>&lt;/a&gt;&lt;a href=&#39;javascript:&#39;&gt;&amp;&quot;</a>"
        #expect(field(marked, "backFields")?["attributedValue"] == .string(text))
        // "Gold" is a key of both languages: a member of that name is not translated.
        let named = try Templates.pass(template.content(Templates.values(name: "Gold")))
        #expect(field(named, "secondaryFields")?["value"] == "Gold\u{2060}")
        #expect(field(named, "primaryFields")?["label"] == "POINTS")
    }

    @Test func `is another version when a value differs, not when the secret does`() throws {
        let template = try Templates.member()
        let digest = try template.content(Templates.values()).digest
        #expect(try template.content(Templates.values()).digest == digest)
        #expect(try template.content(Templates.values(token: "0123456789abcdefABCDEF")).digest == digest)
        #expect(try template.content(Templates.values(points: 1_201)).digest != digest)
        let other = try Templates.member(extra: #""logoText": "New","#)
        #expect(other.digest != template.digest)
        #expect(try other.content(Templates.values()).digest != digest)
    }

    @Test func `ends as a voided pass without barcodes, places and web service`() throws {
        var values = Templates.values()
        values.isFinal = true
        let template = try Templates.member(extra: #""voided": false, "beacons": [], "maxDistance": 10,"#)
        let content = try template.content(values)
        let pass = try Templates.pass(content)
        #expect(pass["voided"] == true)
        for name in ["barcodes", "locations", "beacons", "webServiceURL", "authenticationToken"] {
            #expect(pass[name] == nil, "\(name)")
        }
        let archive = try PassVectors.signer().package(template, content, at: PassVectors.time)
        #expect(try PassVectors.judge().judge(archive, at: PassVectors.time).findings == [])
    }

    @Test func `names every value that is missing, and every member that the values spoil`() throws {
        let template = try Templates.member()
        var values = Templates.values()
        values.fields = ["name": .text("a")]
        do throws(PassFillError) {
            _ = try template.content(values)
            Issue.record("filled without values")
        } catch {
            let missing = error.findings.filter { $0.check == .placeholder }.map(\.text)
            #expect(Set(missing) == ["no value for {{points}}", "no value for {{number}}"])
        }
        values.fields = ["name": .text("a"), "points": .text("many"), "number": .text("")]
        values.webService = PassWebService(url: "http://shop.example/", authenticationToken: Secret("short"))
        do throws(PassFillError) {
            _ = try template.content(values)
            Issue.record("filled with a text for a number")
        } catch {
            #expect(Set(error.findings.map(\.check)) == [.number, .barcode, .webService])
            #expect(!error.description.contains("many") && !error.description.contains("short"))
        }
    }

    @Test func `may have a web service without TLS for phones of developers`() throws {
        var values = Templates.values()
        values.webService?.url = "http://localhost:8080/wallet"
        let template = try Templates.member()
        #expect(throws: PassFillError.self) { try template.content(values) }
        values.webService?.allowsHTTP = true
        #expect(throws: Never.self) { try template.content(values) }
    }
}
