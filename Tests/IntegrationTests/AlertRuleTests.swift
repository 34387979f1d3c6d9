import Foundation
import IntegrationKit
import Testing

/// What alert rules and board ask Prometheus for, against what a program that has sold something says.
@Suite(.tags(.database)) struct `The alert rules and the board` {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

    /// The metrics that a file of `contrib` names, without what a histogram adds to its name.
    private static func named(in file: String) throws -> Set<String> {
        let text = try String(contentsOf: root.appending(path: "contrib/\(file)"), encoding: .utf8)
        let lines = text.split(separator: "\n").filter { !$0.contains(#/^\s*#/#) && !$0.contains("\"uid\"") }
        let names = lines.flatMap { $0.matches(of: #/\b(?:sallyport|process)_[a-z0-9_]+/#).map { String($0.output) } }
        return Set(names.map { $0.hasSuffix("_bucket") ? String($0.dropLast("_bucket".count)) : $0 })
    }

    @Test func `name only metrics that the program has`() async throws {
        let rules = try Self.named(in: "sallyport.rules.yml")
        let board = try Self.named(in: "grafana.json")
        #expect(rules.count > 20 && board.count > 20)
        var options = ShopOptions.merchants(["merchant.secret_file": try HookedShop.secretPath()])
        options.isSecure = true
        options.takesNotifications = true
        options.jobPause = .milliseconds(50)
        try await withShop(options) { shop in
            _ = try await shop.paid()
            let admin = shop.browser()
            func exported() async throws -> Set<String> {
                let text = try await admin.request("GET", shop.admin + "/metrics").text
                return Set(text.matches(of: #/(?m)^# TYPE (\w+) /#).map { String($0.output.1) })
            }
            let wanted = rules.union(board)
            // What is read from the database comes with the first read.
            var missing = wanted
            do {
                try await shop.wait(for: "the metrics") {
                    missing = wanted.subtracting(try await exported())
                    return missing.isEmpty
                }
            } catch {
                Issue.record("\(error): not exported: \(missing.sorted())")
            }
        }
    }
}
