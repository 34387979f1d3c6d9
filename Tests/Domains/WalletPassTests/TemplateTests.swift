import Primitives
import StrictJSON
import TestKit
import Testing
import WalletPass

@Suite("A template")
struct TemplateTests {
    private func findings(_ files: [PassFile]) -> [PassFinding] {
        do throws(PassTemplateError) {
            _ = try PassTemplate(name: "test", files: files)
            return []
        } catch {
            return error.findings
        }
    }

    private func findings(style: String = "storeCard", extra: String) throws -> [PassFinding] {
        findings(try Templates.files(Templates.json(style: style, extra: extra)))
    }

    @Test func `tells all that is wrong at once, with a place and a remedy`() throws {
        let json = """
            {"formatVersion": "1", "passTypeIdentifier": "com.example", "teamIdentifier": "SP4TEST9Z0", "serialNumber": "1",
             "backgroundColor": "blue", "expirationDate": "2026-11-28", "organizationName": "{{", "storeCard":
             {"primaryFields": [{"key": "a", "value": "x", "numberStyle": "PKNumberStyleDecimal"}, {"key": "a", "value": 1}]}}
            """
        let files = [
            PassFile(name: "pass.json", bytes: Array(json.utf8)), PassFile(name: "logo.png", bytes: [1, 2, 3]),
            PassFile(name: "en.lproj/pass.strings", bytes: Array("\"A\" = ".utf8)),
        ]
        let found = findings(files)
        #expect(
            Set(found.map(\.check)) == [
                .required, .passType, .reserved, .color, .date, .placeholder, .number, .field, .image, .icon, .strings,
            ]
        )
        let number = try #require(found.first { $0.check == .number })
        #expect(number.place == "storeCard.primaryFields[0](a)")
        #expect(number.remedy == "write 1200, not \"1200\"")
        #expect(found.allSatisfy { !$0.place.isEmpty && !$0.text.isEmpty })
    }

    @Test func `without pass.json, or with one that is no JSON object, is none`() throws {
        let images = try PassVectors.images()
        #expect(findings(images).map(\.check) == [.missingFile])
        for text in ["", "[]", "{,}", "\u{FEFF}{}", #"{"a":1,"a":2}"#] {
            let found = findings(images + [PassFile(name: "pass.json", bytes: Array(text.utf8))])
            #expect(found.map(\.check) == [.passForm], "\(text)")
        }
    }

    @Test(arguments: [
        #""webServiceURL": "https://a.example/","#, #""authenticationToken": "0123456789abcdef","#,
        #""serialNumber": "{{serial}}","#,
    ])
    func `has nothing that is written for each pass`(member: String) throws {
        #expect(try findings(extra: member).contains { $0.check == .reserved })
    }

    @Test func `has no placeholder where a value would change more than itself`() throws {
        #expect(try findings(extra: #""managementURL": "{{address}}","#).map(\.check) == [.placeholder])
        #expect(try findings(extra: #""managementURL": "https://a.example/{{number}}","#) == [])
        let key = Templates.json().replacing("\"key\": \"name\"", with: "\"key\": \"{{name}}\"")
        #expect(findings(try Templates.files(key)).map(\.check) == [.field])
        let notice = Templates.json().replacing("Now %@", with: "{{name}} has %@")
        #expect(findings(try Templates.files(notice)).map(\.check) == [.changeMessage])
        let link = Templates.json().replacing("https://shop.example/{{number}}", with: "{{number}}")
        #expect(findings(try Templates.files(link)).map(\.check) == [.placeholder])
    }

    @Test func `leaves out what belongs to no template, with a warning`() throws {
        let extra = [".DS_Store", "README.md", "manifest.json", "signature", "__MACOSX/icon.txt"]
        let files = try Templates.files(Templates.json()) + extra.map { PassFile(name: $0, bytes: [1]) }
        let template = try PassTemplate(name: "member", files: files)
        #expect(template.warnings.map(\.place) == extra)
        #expect(template.digest == (try Templates.member().digest))
        let archive = try PassVectors.signer().package(
            template,
            template.content(Templates.values()),
            at: PassVectors.time
        )
        let pass = try #require(PassVectors.judge().judge(archive, at: PassVectors.time).pass)
        #expect(!pass.files.contains { $0.name == ".DS_Store" })
    }

    @Test func `needs the icon in the scales that phones use`() throws {
        let files = try Templates.files(Templates.json()).filter { $0.name != "icon@3x.png" }
        #expect(findings(files).map(\.check) == [.iconScales])
    }

    @Test func `is no larger than phones load quickly`() throws {
        let random = SeededRandom(seed: 1).bytes(PassTemplate.packedLimit)
        let files = try Templates.files(Templates.json()) + [PassFile(name: "xx.lproj/pass.strings", bytes: random)]
        #expect(findings(files).contains { $0.check == .size })
    }

    @Test func `passes on what it does not know, with a warning`() throws {
        let template = try Templates.member(extra: #""futureMember": {"a": [1]},"#)
        #expect(template.warnings.map(\.check) == [.unknownMember])
        let pass = try Templates.pass(template.content(Templates.values()))
        #expect(pass["futureMember"] == ["a": [1]])
    }

    @Test(arguments: [
        (#""groupingIdentifier": "a","#, PassCheck.grouping), (#""voided": 1,"#, .memberType),
        (#""maxDistance": 0,"#, .relevance), (#""beacons": [{"proximityUUID": "1"}],"#, .relevance),
        (#""relevantDates": [{"startDate": "2026-11-28T18:00+09:00"}],"#, .date),
        (#""relevantDates": [{}],"#, .date), (#""appLaunchURL": "app:","#, .stores),
        (#""associatedStoreIdentifiers": ["1"],"#, .stores), (#""nfc": {"message": "a"},"#, .nfc),
        (#""nfc": {"message": "a", "encryptionPublicKey": "AAAA"},"#, .nfc),
        (#""coupon": {},"#, .style), (#""labelColor": "rgb(1, 2, 256)","#, .color),
        (#""preferredStyleSchemes": ["x"],"#, .memberType), (#""logoText": 1,"#, .memberType),
    ])
    func `is refused for what phones refuse`(member: String, check: PassCheck) throws {
        #expect(try findings(extra: member).map(\.check) == [check])
    }

    @Test(arguments: [
        #"{"flightNumber": "7"}"#, #"{"balance": {"amount": 7, "currencyCode": "JPY"}}"#, #"{"seats": {}}"#,
        #"{"eventStartDate": "2026-11-28"}"#, #"{"venueLocation": {"latitude": 91, "longitude": 0}}"#,
        #"{"silenceRequested": "yes"}"#, #"{"eventType": "PKEventTypeDinner"}"#, #"{"venueName": 1}"#, "[]",
    ])
    func `is refused for facts of another type`(semantics: String) throws {
        let json = Templates.json().replacing(
            #""key": "name","#,
            with: #""key": "name", "semantics": \#(semantics),"#
        )
        #expect(findings(try Templates.files(json)).map(\.check) == [.semantics])
    }

    @Test(arguments: [
        ("2026-11-28T18:00+09:00", true), ("2026-11-28T18:00:30Z", true), ("2026-11-28T18:00:30.25-0130", true),
        ("2024-02-29T00:00Z", true), ("2026-02-29T00:00Z", false), ("2026-11-28T18:00", false), ("2026-11-28", false),
        ("2026-11-28T24:00Z", false), ("2026-11-28 18:00Z", false), ("2026-13-01T00:00Z", false),
        ("2026-11-28T18:00+9:00", false), ("2026-11-28T18:00Zx", false), ("", false),
    ])
    func `has dates with a time of day and a zone`(date: String, isGood: Bool) throws {
        let found = try findings(extra: #""expirationDate": "\#(date)","#)
        #expect(found.map(\.check) == (isGood ? [] : [.date]))
    }
}
