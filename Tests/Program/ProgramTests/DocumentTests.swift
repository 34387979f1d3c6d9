import Foundation
import HTTPCore
import SessionBroker
import Settings
import TestKit
import Testing
import Web
import Webhooks

@testable import Program

/// A document of the repository.
private func document(_ path: String) throws -> String {
    try String(contentsOfFile: ProjectFolder.path(path), encoding: .utf8)
}

/// The cells of a row of a Markdown table, or `nil` for any other line.
private func cells(_ line: Substring) -> [String]? {
    guard line.hasPrefix("| ") else { return nil }
    return line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map { $0.trimmingCharacters(in: .whitespaces) }
}

/// What stands between backquotes.
private func quoted(_ cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 1 }.map { String($0.element) }
}

@Suite struct `The documents` {
    @Test func `name every setting with its variable, default, range and meaning, in the program's order`() throws {
        let rows = try document("docs/settings.md").split(separator: "\n").compactMap(cells)
            .filter { $0.first?.hasPrefix("`") == true }
        let table = Configuration.settings.map { setting in
            let fallback = setting.fallback.isEmpty ? "" : "`\(setting.fallback)`"
            return [
                "`\(setting.name)`", "`\(setting.environmentName)`", fallback, setting.takes, setting.meaning,
            ]
        }
        let pages = try [rows] + FeaturePage.all().map { $0.rows("Settings") }
        let named = pages.joined().compactMap(\.first)
        #expect(named.sorted() == table.map { $0[0] }.sorted())
        for page in pages {
            let names = Set(page.compactMap(\.first))
            let expected = table.filter { names.contains($0[0]) }
            #expect(page.map(\.first) == expected.map(\.first))
            for (row, expected) in zip(page, expected) { #expect(row == expected) }
        }
    }

    @Test func `that the package installs name the trail's secret that its installation makes`() throws {
        let source = SettingSource(file: Array(try document("packaging/sallyport.json").utf8), environment: [:])
        let path = try #require(try Configuration(source).printed.first { $0.name == "session.trail_secret" }?.value)
        let installation = try document("packaging/debian/postinst")
        #expect(path.hasPrefix("/etc/sallyport/") && installation.contains("=\(path)\n"), "\(path)")
    }

    @Test func `say of each profile exactly what the program makes of it`() throws {
        let rows = try document("docs/profiles.md").split(separator: "\n").compactMap(cells).filter { $0.count == 5 }
        let head = try #require(rows.first)
        #expect(head[1...3] == ["`compat`", "`standard`", "`strict`"])
        for (column, profile) in Profile.allCases.enumerated() {
            let policy = BrokerPolicy(profile: profile)
            var rules = ["open.clean_url": "\(policy.opensToCleanURL)"]
            for word in policy.words.split(separator: " ") {
                let parts = word.split(separator: "=")
                rules[String(parts[0])] = String(parts[1])
            }
            // A time, and the same in all of them.
            rules["open.reopen_window"] = nil
            let told = rows.dropFirst().map { (quoted($0[0]).first ?? "", quoted($0[column + 1]).first ?? "") }
            #expect(Dictionary(told) { first, _ in first } == rules, "\(profile)")
            #expect(told.count == rules.count)
        }
    }

    @Test(arguments: [("examples/receiver.py", "docs/webhooks.md"), ("examples/postage.py", "docs/postage.md")])
    func `show the example servers as they are`(file: String, page: String) throws {
        let text = try document(file)
        let code = text.split(separator: "\n", omittingEmptySubsequences: false).drop { $0.hasPrefix("#") }
        #expect(try document(page).contains("```python\n" + code.joined(separator: "\n") + "```\n"))
    }

    @Test func `name every type of event that a receiver can get`() throws {
        let page = try document("docs/webhooks.md")
        let rows = page.split(separator: "\n").compactMap(cells).filter { row in
            row.first.flatMap { quoted($0).first }?.contains(".") == true
        }
        let own = try FeaturePage.names("Events")
        let named = rows.flatMap { quoted($0[0]) }.filter { $0 != "webhook.test" } + own
        #expect(named.sorted() == FeatureList.eventTypes.map(\.text).sorted())
    }

    @Test func `name in the README only variables that exist, with their defaults`() throws {
        let rows = try document("README.md").split(separator: "\n").compactMap(cells)
            .filter { $0.first?.hasPrefix("`SALLYPORT_") == true }
        #expect(rows.count > 5)
        for row in rows {
            let setting = Configuration.settings.first { $0.environmentName == quoted(row[0]).first }
            #expect(setting != nil, "\(row)")
            #expect(row[1] == setting.map { $0.fallback.isEmpty ? "empty" : "`\($0.fallback)`" })
        }
    }

    @Test func `list exactly the routes that the program has`() throws {
        let page = try document("docs/contract.md")
        let start = try #require(page.firstRange(of: "\n### All routes\n")).upperBound
        let rows = page[start...].prefix { $0 != "#" }.split(separator: "\n").compactMap(cells)
            .filter { $0.first?.hasPrefix("`GET") == true || $0.first?.hasPrefix("`POST") == true }
        let named = try (rows + FeaturePage.all().flatMap { $0.rows("Routes") })
            .flatMap { row in routes(row[0]).map { "\(face(row[1])) \($0)" } }
        let table = RoutesCommand.pageRoutes.map { "\($0.site.text) \($0.method.text) \($0.path)" }
        #expect(Set(named).sorted() == table.sorted())
    }

    /// The host of a row by whom it is for.
    private func face(_ who: String) -> String {
        switch who {
        case "link host": "link"
        case "admin listener": "admin"
        default: "web"
        }
    }

    /// The routes of a cell: `GET`, `POST /a`, `/b` are two methods of two paths; a query is not part of a path.
    private func routes(_ cell: String) -> Set<String> {
        var methods: [Substring] = []
        var hadPath = false
        var found: Set<String> = []
        for text in quoted(cell) {
            for word in text.split(separator: " ") {
                if word.hasPrefix("/") {
                    for path in expanded(word.prefix { $0 != "?" }) {
                        found.formUnion(methods.map { "\($0) \(path)" })
                    }
                    hadPath = true
                } else {
                    methods = hadPath ? [word] : methods + [word]
                    hadPath = false
                }
            }
        }
        return found
    }

    /// One path for each of the words between braces.
    private func expanded(_ path: Substring) -> [String] {
        guard let open = path.firstIndex(of: "{"), let close = path.firstIndex(of: "}") else { return [String(path)] }
        let words = path[path.index(after: open)..<close].split(separator: ",")
        // One word is the name of a part.
        guard words.count > 1 else { return [String(path)] }
        return
            words
            .map { "\(path[..<open])\($0)\(path[path.index(after: close)...])" }
    }
}
