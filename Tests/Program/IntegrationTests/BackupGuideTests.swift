import EventIO
import Foundation
import HTTPCore
import IntegrationKit
import PostgresTestKit
import Primitives
import TestKit
import Testing

/// The commands of docs/backup-and-failover.md, as they stand there, on a primary and its standby.
@Suite(
    "The page on backup and failover",
    .tags(.database, .slow),
    .enabled(if: Files.exists("/usr/bin/psql") && Files.exists("/usr/bin/pg_dump"), "psql or pg_dump is not installed")
)
struct BackupGuideTests {
    private static let root = ProjectFolder.path

    /// The `sh` blocks of a section, with their comments made checks: what stands behind ` # ` must be in what the line has
    /// printed.
    private static func script(_ section: String) throws -> String {
        let text = String(decoding: try Files.read(root + "/docs/backup-and-failover.md"), as: UTF8.self)
        var lines: [String] = []
        var (isWanted, isInside) = (false, false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("## ") { isWanted = line == "## " + section }
            if line.hasPrefix("```") {
                isInside = isWanted && line == "```sh"
            } else if isInside {
                lines.append(checked(String(line)))
            }
        }
        return """
            set -eu
            check() { grep -qF -- "$1" out || { echo "no $1 at: $2"; cat out; exit 1; }; }
            \(lines.joined(separator: "\n"))
            echo the end
            """
    }

    private static func checked(_ line: String) -> String {
        guard let mark = line.ranges(of: " # ").last else { return line }
        let words = line[mark.upperBound...].drop { $0 == " " }
        let name = line.prefix(60).filter { $0 != "'" && $0 != "\\" && $0 != "\"" }
        return "{ \(line[..<mark.lowerBound]); } > out; check '\(words)' '\(name)'; cat out"
    }

    /// What `systemctl` does to the service, as far as the page needs it.
    private static let systemctl = """
        #!/bin/bash
        case $1 in
        start) : > serve.log
            sallyport serve >> serve.log 2>&1 & echo $! > serve.pid
            until grep -q '"server.ready"' serve.log; do kill -0 $(cat serve.pid) || exit 1; sleep 0.05; done ;;
        stop) kill -TERM $(cat serve.pid)
            while kill -0 $(cat serve.pid) 2> /dev/null; do sleep 0.05; done ;;
        esac
        """

    @Test func `works as it is written`() async throws {
        let pair = try ReplicatedDatabase(migrations: "migrations", features: migrationFolders)
        try await withProcessShop { shop in
            shop.databaseURL = pair.url
            try await shop.turnAutopilotOn()
            let page = try Page(shop, pair)
            let server = try await shop.startServer()
            try await page.run("Replication")
            try await page.run("Backup")

            let crossing = try await shop.place(on: server)
            #expect(try await shop.client.purchase(crossing, server.url).status == 200)
            let paid = "SELECT object_id FROM payment_object WHERE kind = $1"
            let permission = try #require(try shop.rows(paid, ["permission"]).first?[0])
            let charge = try #require(try shop.rows(paid, ["charge"]).first?[0])
            // The server of the test hands over to that of the page.
            try await server.program.end(.interrupt)
            try await page.systemctl("start")

            try await page.run("Restore")
            #expect(try shop.rows("SELECT FROM merchant_order").isEmpty, "lost")
            try await page.run("Behind a loss", ["PERMISSION": permission, "CHARGE": charge])
            #expect(try shop.rows("SELECT state, reference FROM merchant_order") == [["paid", "A-1001"]])

            try pair.stopPrimary()
            try await page.run("Failover")
            #expect(try shop.rows("SELECT state FROM merchant_order") == [["paid"]])
            try await page.systemctl("stop")
        }
        withExtendedLifetime(pair) {}
    }

    /// The operator's shell.
    private struct Page {
        let shop: ProcessShop
        let environment: [String: String]

        init(_ shop: ProcessShop, _ pair: ReplicatedDatabase) throws {
            self.shop = shop
            let folder = shop.folder
            try Files.makeDirectory(folder + "/bin", mode: 0o755)
            try Files.write(folder + "/bin/systemctl", Array(BackupGuideTests.systemctl.utf8), mode: 0o755)
            let program = Files.parent(of: try BuiltProgram.sallyport())
            let day = WallTime(seconds: SystemClock().now().seconds - 86_400)
            let own = [
                "PATH": "\(folder)/bin:\(program):/usr/bin:/bin", "DB": pair.url.reveal(),
                "STANDBY": pair.standbyURL.reveal(), "LOSS": String(CalendarDate(day).extendedText.prefix(10)),
                "SALLYPORT_MIGRATIONS_DIR": BackupGuideTests.root + "/migrations",
                "SALLYPORT_PUBLIC_DIR": BackupGuideTests.root + "/public",
            ]
            environment = shop.environment.merging(own) { $1 }
        }

        func run(_ section: String, _ more: [String: String] = [:]) async throws {
            let script = try BackupGuideTests.script(section)
            #expect(script.split(separator: "\n").count > 4, "no commands below \(section)")
            let output = try await bash(script, more)
            #expect(output.hasSuffix("the end\n"), "\(section): \(output)")
        }

        func systemctl(_ word: String) async throws {
            _ = try await bash("systemctl \(word) sallyport", [:])
        }

        private func bash(_ script: String, _ more: [String: String]) async throws -> String {
            let path = shop.folder + "/output"
            try Files.write(path, [], mode: 0o600)
            var plan = ChildPlan("/bin/bash", ["-c", script])
            plan.environment = environment.merging(more) { $1 }
            plan.workingDirectory = shop.folder
            plan.output = .appended(path: path)
            plan.error = .appended(path: path)
            plan.deathSignal = .kill
            let exit = try await plan.start().exit(on: shop.reactor)
            let output = String(decoding: try Files.read(path), as: UTF8.self)
            #expect(exit.isSuccess, "\(output)")
            return output
        }
    }
}
