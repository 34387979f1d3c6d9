import FeatureTestKit
import Operations
import ServerCore
import Testing

@testable import Checkout

@Suite("An association file for iOS")
struct AppleFileTests {
    /// A file with one entry, its members written out.
    private static func file(_ entry: String, apps: String = "[]") -> String {
        #"{"applinks":{"apps":\#(apps),"details":[{\#(entry)}]},"webcredentials":{"apps":["ABCDE12345.com.example.shop"]}}"#
    }

    private static let names = #""appID":"ABCDE12345.com.example.shop","appIDs":["ABCDE12345.com.example.shop"]"#
    private static let paths = #""paths":["/index.html"]"#
    private static let query = #""?":{"secureWebviewSessionId":"swc_?*","accessToken":"?*"}"#
    private static let rule = #"{"/":"/index.html",\#(query)}"#
    private static let rest = #"{"/":"*","exclude":true}"#
    private static let components = #""components":[\#(rule),\#(rest)]"#

    private func checks(_ bytes: [UInt8]) throws -> [String] {
        let (features, settings) = try SoundSettings().examined(FeatureSet([CheckoutFeature.self]))
        let apps = try #require(features.first(CheckoutFeature.self)).settings.apps.ios
        let findings = AppleFileChecks(bytes: bytes, apps: apps, settings: settings).findings
        return Report(findings).findings.map { "\($0.check) \($0.severity.rawValue)" }
    }

    @Test func `that is right has no finding`() throws {
        let text = Self.file("\(Self.names),\(Self.paths),\(Self.components)")
        #expect(try checks(Array(text.utf8)) == [])
    }

    static let mistakes: [(String, [String])] = [
        (file("\(names),\(paths),\(components)", apps: #"["x"]"#), ["D06 error"]),
        (file("\(paths),\(components)"), ["D07 error", "D11 error", "D11 error"]),
        (file(#""appIDs":[],\#(paths),\#(components)"#), ["D07 error", "D11 error", "D11 error"]),
        (
            file(#""appID":"ABCDE12345.com.example.shop","appIDs":["ABCDE12345.other"],\#(paths),\#(components)"#),
            ["D07 error", "D11 error"]
        ),
        (file(#"\#(names),"paths":["*"],\#(components)"#), ["D08 warning"] + pages),
        (file(#"\#(names),\#(paths),"components":[{}]"#), ["D08 warning"] + pages),
        (
            file(#"\#(names),\#(paths),"components":[{"/":"/index.html","?":{"accessToken":"*"}},\#(rest)]"#),
            ["D09 warning"]
        ),
        (file(#"\#(names),\#(paths),"components":[\#(rest),\#(rule)]"#), ["D10 error", "D11 error"]),
        (file(#"\#(names),"paths":["NOT *","/index.html"],\#(components)"#), ["D10 error", "D11 error"]),
        (file(#"\#(names),"paths":["/other"],\#(components)"#), ["D11 error"]),
        (file(#"\#(names),"paths":["/index.html","/button"],\#(components)"#), ["D12 error"]),
        (#"{"applinks":{"apps":[],"details":[]}}"#, ["D11 error", "D11 error"]),
        ("[]", ["D05 error"]), ("{", ["D05 error"]), ("\u{FEFF}{}", ["D05 error"]),
    ]

    /// Each page of the shop would jump into the app.
    private static let pages = Array(repeating: "D12 error", count: 3)

    @Test(arguments: mistakes)
    func `with a mistake has the finding`(text: String, expected: [String]) throws {
        #expect(try checks(Array(text.utf8)) == expected)
    }

    private static let elsewhere = ##"{"#":"no_universal_links","exclude":true,"comment":"for the browser"}"##
    private static let wholeQuery = #"{"?":"web=*","exclude":true}"#

    @Test(arguments: [
        "\(elsewhere),\(rule),\(rest)", "\(wholeQuery),\(rule),\(rest)",
        ##"{"/":"/index.html","#":"*",\##(query)},\##(rest)"##,
    ])
    func `may exclude by fragment or by the whole query`(rules: String) throws {
        #expect(try checks(Array(Self.file("\(Self.names),\(Self.paths),\"components\":[\(rules)]").utf8)) == [])
    }

    @Test func `that excludes every fragment excludes everything`() throws {
        let rules = ##"{"#":"*","exclude":true},\##(Self.rule)"##
        let text = Self.file("\(Self.names),\(Self.paths),\"components\":[\(rules)]")
        #expect(try checks(Array(text.utf8)) == ["D10 error", "D11 error"])
    }

    /// A file whose `applinks` has more members.
    private static func file(_ entry: String, with more: String) -> String {
        #"{"applinks":{\#(more),"details":[{\#(entry)}]}}"#
    }

    private static let anyCase = #"{"/":"/INDEX.html","caseSensitive":false,\#(query)}"#

    /// Genuine files of other hosts: each opens the app by the return link, and nothing else.
    @Test(arguments: [
        file("\(names),\(paths),\"components\":[\(anyCase),\(rest)]"),
        file(
            #"\#(names),\#(paths),"components":[{"/":"/INDEX.html",\#(query)},\#(rest)]"#,
            with: #""defaults":{"caseSensitive":false}"#
        ),
        file(
            #"\#(names),\#(paths),"defaults":{"caseSensitive":false,"percentEncoded":true},"components":[{"/":"/Index.HTML",\#(query)},\#(rest)]"#
        ),
        file(
            #"\#(names),\#(paths),"components":[{"/":"/$(page).html",\#(query)},\#(rest)]"#,
            with: #""substitutionVariables":{"page":["cart","index"]}"#
        ),
        file(
            #"\#(names),\#(paths),"components":[{"/":"/$(page)",\#(query)},\#(rest)]"#,
            with: #""substitutionVariables":{"page":["ind*","x"]}"#
        ),
        file(
            #"\#(names),\#(paths),"components":[{"/":"/$(lower)$(alpha)$(alnum)$(xdigit)?.html",\#(query)},\#(rest)]"#
        ),
        file(#"\#(names),\#(paths),"components":[{"/":"/$(lang)dex.html",\#(query)},\#(rest)]"#),
        file(#"\#(names),\#(paths),"components":[{"/":"/index.html","percentEncoded":false,\#(query)},\#(rest)]"#),
        file(#"\#(names),\#(paths),"components":[{"/":"/INDEX.html","exclude":true},\#(rule),\#(rest)]"#),
    ])
    func `of another host may use all of the format`(text: String) throws {
        #expect(try checks(Array(text.utf8)) == [])
    }

    /// The same members where they keep the link from opening, or let a page open.
    @Test(
        arguments: [
            (file(#"\#(names),\#(paths),"components":[{"/":"/INDEX.html",\#(query)},\#(rest)]"#), ["D11 error"]),
            (file(#"\#(names),\#(paths),"components":[{"/":"/$(upper)ndex.html",\#(query)},\#(rest)]"#), ["D11 error"]),
            (file(#"\#(names),\#(paths),"components":[{"/":"/$(other).html",\#(query)},\#(rest)]"#), ["D11 error"]),
            (
                file(
                    #"\#(names),\#(paths),"components":[{"/":"/INDEX.html","caseSensitive":false,"exclude":true},\#(rule),\#(rest)]"#
                ),
                ["D11 error"]
            ),
            (
                file(#"\#(names),\#(paths),"components":[\#(rule),{"/":"/BUTTON","caseSensitive":false},\#(rest)]"#),
                ["D12 error"]
            ),
            (
                file(
                    #"\#(names),\#(paths),"components":[\#(rule),{"/":"/$(page)"},\#(rest)]"#,
                    with: #""substitutionVariables":{"page":["button"]}"#
                ),
                ["D12 error"]
            ),
        ] as [(String, [String])]
    )
    func `of another host is read as phones read it`(text: String, expected: [String]) throws {
        #expect(try checks(Array(text.utf8)) == expected)
    }

    /// Members that a later version of the format may have.
    @Test(
        arguments: [
            (file(#"\#(names),\#(paths),"later":true,\#(components)"#), ["D05 note"]),
            (file(#"\#(names),\#(paths),\#(components)"#, with: #""later":{}"#), ["D05 note"]),
            (file(#"\#(names),\#(paths),\#(components)"#, with: #""defaults":{"later":1}"#), ["D05 note"]),
            (
                file(#"\#(names),\#(paths),"components":[{"/":"/other","later":["/index.html"]},\#(rest)]"#),
                ["D05 note", "D11 note"]
            ),
            (
                file(#"\#(names),\#(paths),"components":[\#(rule),{"/":"/button","later":1},\#(rest)]"#),
                ["D05 note", "D12 note"]
            ),
            (#"{"applinks":{"details":[{\#(names),\#(paths),\#(components)}]},"appclips":{"apps":[]},"later":1}"#, []),
        ] as [(String, [String])]
    )
    func `with members that are not known has a note at most`(text: String, expected: [String]) throws {
        #expect(try checks(Array(text.utf8)) == expected)
    }

    @Test func `without components is read in the old form by all`() throws {
        #expect(try checks(Array(Self.file("\(Self.names),\(Self.paths)").utf8)) == [])
    }

    @Test(arguments: [(65_536, [String]()), (65_537, ["D05 warning"]), (131_073, ["D05 error"])])
    func `is bounded in size`(count: Int, expected: [String]) throws {
        let text = Self.file("\(Self.names),\(Self.paths),\(Self.components)")
        let bytes = Array(text.utf8) + [UInt8](repeating: 0x20, count: count - text.utf8.count)
        #expect(try checks(bytes) == expected)
    }
}
