import Cryptography
import EventIO
import Foundation
import IntegrationKit
import Primitives
import Synchronization
import TestKit
import Testing

/// What alert rules and board ask Prometheus for, against what a program that has sold something says.
@Suite(.tags(.database)) struct `The alert rules and the board` {
    private static let root = URL(filePath: ProjectFolder.path)

    /// The metrics that a file of `contrib` names, without what a histogram adds to its name.
    private static func named(in file: String) throws -> Set<String> {
        let text = try String(contentsOf: root.appending(path: "contrib/\(file)"), encoding: .utf8)
        let lines = text.split(separator: "\n").filter { !$0.contains(#/^\s*#/#) && !$0.contains("\"uid\"") }
        let names = lines.flatMap { $0.matches(of: #/\b(?:sallyport|process)_[a-z0-9_]+/#).map { String($0.output) } }
        return Set(names.map { $0.hasSuffix("_bucket") ? String($0.dropLast("_bucket".count)) : $0 })
    }

    /// The values of labels that a file of `contrib` asks for, as `metric{label="value"}`.
    private static func values(in file: String) throws -> Set<String> {
        let text = try String(contentsOf: root.appending(path: "contrib/\(file)"), encoding: .utf8)
        return labels(text.replacing("\\\"", with: "\""), metric: #/\b(sallyport_[a-z0-9_]+)\{([^}]*)\}/#)
    }

    private static func labels(_ text: String, metric: Regex<(Substring, Substring, Substring)>) -> Set<String> {
        Set(
            text.matches(of: metric).flatMap { found in
                found.output.2.matches(of: #/(\w+)="([^"]*)"/#).map {
                    "\(found.output.1){\($0.output.1)=\"\($0.output.2)\"}"
                }
            }
        )
    }

    /// The metrics of a text for Prometheus, and the values of their labels.
    private static func exported(_ text: String) -> Set<String> {
        let names = text.matches(of: #/(?m)^# TYPE (\w+) /#).map { String($0.output.1) }
        return labels(text, metric: #/(?m)^(sallyport_\w+)\{([^}]*)\} /#).union(names)
    }

    /// Settings with which devices are asked about, although nobody answers.
    private static func devices() throws -> [String: String] {
        let path = try ProcessFolder.makeFolder("devices") + "/AuthKey_SP2X9R4HXF.p8"
        try Files.write(path, try ES256PrivateKey.generatePEM().reveal(), mode: 0o600)
        return [
            "device_check.team_id": "A1B2C3D4E5", "device_check.private_key": path,
            "device_check.production_url": "http://127.0.0.1:9", "device_check.development_url": "http://127.0.0.1:9",
        ]
    }

    @Test func `name only metrics that the program has, with values that their labels take`() async throws {
        let rules = try Self.named(in: "sallyport.rules.yml")
        let values = try Self.values(in: "sallyport.rules.yml").union(try Self.values(in: "grafana.json"))
        #expect(values.count > 5)
        let board = try Self.named(in: "grafana.json")
        #expect(rules.count > 20 && board.count > 20)
        // Those of cards and of purchases in the App Store.
        let ofOthers = Mutex<Set<String>>([])
        try await withCardShop { cards in
            for server in cards.servers {
                let text = try await cards.shop.http.send("GET", server.adminURL + "/metrics").text
                ofOthers.withLock { $0.formUnion(Self.exported(text)) }
            }
        }
        try await withPurchaseShop { purchases in
            for server in purchases.servers {
                let text = try await purchases.shop.http.send("GET", server.adminURL + "/metrics").text
                ofOthers.withLock { $0.formUnion(Self.exported(text)) }
            }
        }
        var options = ShopOptions.merchants(["merchant.secret_file": try HookedShop.secretPath()])
        options.settings.merge(try Self.devices()) { $1 }
        options.isSecure = true
        options.takesNotifications = true
        options.jobPause = .milliseconds(50)
        try await withShop(options) { shop in
            _ = try await shop.paid()
            let admin = shop.browser()
            let wanted = rules.union(board).union(values).subtracting(ofOthers.withLock(\.self))
            // What is read from the database comes with the first read.
            var missing = wanted
            do {
                try await shop.wait(for: "the metrics") {
                    let text = try await admin.request("GET", shop.admin + "/metrics").text
                    missing = wanted.subtracting(Self.exported(text))
                    return missing.isEmpty
                }
            } catch {
                Issue.record("\(error): not exported: \(missing.sorted())")
            }
        }
    }
}
