import EventIO
import Foundation
import IntegrationKit
import TestKit
import Testing

/// The commands of docs/merchant-guide.md, as they stand there, against `sallyport demo`.
@Suite(
    "The merchant guide",
    .tags(.database, .slow),
    .enabled(if: Files.exists("/usr/bin/python3") && Files.exists("/usr/bin/curl"), "curl or python3 is not installed")
)
struct MerchantGuideTests {
    private static let root = ProjectFolder.path

    /// The `sh` blocks in order, with the places of this test, and with `between` behind each.
    ///
    /// Their comments are made checks: what stands behind ` # ` must be in what the line has printed.
    private static func script(_ places: String, between: String) throws -> String {
        let text = String(decoding: try Files.read(root + "/docs/merchant-guide.md"), as: UTF8.self)
        var lines: [String] = []
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                if isInside { lines.append(between) }
                isInside = line == "```sh"
            } else if isInside {
                lines.append(line.hasPrefix("export CA=") ? places : checked(String(line)))
            }
        }
        return """
            set -eu
            check() { for word in $1; do grep -qF -- "$word" out || { echo "no $word at: $2"; cat out; exit 1; }; done; }
            \(lines.joined(separator: "\n"))
            echo the end
            """
    }

    private static func checked(_ line: String) -> String {
        guard !line.hasPrefix("#"), let mark = line.ranges(of: " # ").last else { return line }
        let command = line[..<mark.lowerBound]
        let words = line[mark.upperBound...].drop { $0 == " " }
        let name = command.prefix(60).filter { $0 != "'" && $0 != "\\" }
        return "{ \(command); } > out; check '\(words)' '\(name)'; cat out"
    }

    /// Who reads takes a while: the last refund is still under way then, and has not become another one's.
    @Test(arguments: [":", "curl -sS --cacert $CA -d '{\"advance\":\"PT1M\"}' $SIM/_sim/clock"])
    func `works as it is written, at once and with a minute between its blocks`(between: String) async throws {
        try await withTemporaryFolder { folder in
            try Files.setPermissions(folder, mode: 0o711)
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/examples",
                withDestinationPath: Self.root + "/examples"
            )
            let (web, simulator, hook) = (try freePort(), try freePort(), try freePort())
            let (postage, sample) = (try freePort(), try freePort())
            let settings = [
                "SALLYPORT_DATA_DIR": folder + "/var", "SALLYPORT_LISTEN": "127.0.0.1:\(web)",
                "SALLYPORT_ADMIN_LISTEN": "127.0.0.1:0", "SALLYPORT_SIMULATOR_LISTEN": "127.0.0.1:\(simulator)",
                "SALLYPORT_LOOPS": "1",
                "SALLYPORT_MIGRATIONS_DIR": Self.root + "/migrations", "SALLYPORT_PUBLIC_DIR": Self.root + "/public",
            ]
            let places = """
                export CA=$PWD/var/development/authority.pem WEB=https://localhost:\(web) SIM=https://localhost:\(simulator) \
                HOOK=\(hook) POSTAGE=\(postage) SHOP=\(sample)
                """
            let script = try Self.script(places, between: between)
            #expect(script.ranges(of: " > out; check ").count > 15)
            try await withLoop { reactor in
                let demo = try RunningProgram(
                    ["demo"],
                    environment: settings.merging(
                        ["SALLYPORT_MERCHANT_POSTAGE_ORIGINS": "http://127.0.0.1:\(postage)"]
                    ) { own, _ in own },
                    logPath: folder + "/demo.log",
                    on: reactor
                )
                defer { demo.destroy() }
                _ = try await demo.line(with: "ready https://")
                let bin = Files.parent(of: try BuiltProgram.sallyport())
                var plan = ChildPlan("/bin/bash", ["-c", script])
                plan.environment = settings.merging(["PATH": "\(bin):/usr/bin:/bin"]) { own, _ in own }
                plan.workingDirectory = folder
                plan.output = .appended(path: folder + "/output")
                plan.error = .appended(path: folder + "/output")
                plan.deathSignal = .kill
                let exit = try await plan.start().exit(on: reactor)
                let output = String(decoding: try Files.read(folder + "/output"), as: UTF8.self)
                #expect(exit.isSuccess, "\(output)")
                #expect(output.hasSuffix("the end\n"), "\(output)")
                func command(_ line: String, _ log: String) async throws -> String {
                    var plan = ChildPlan("/bin/bash", ["-c", line])
                    plan.environment = settings.merging(["PATH": "\(bin):/usr/bin:/bin"]) { own, _ in own }
                    plan.workingDirectory = folder
                    plan.output = .appended(path: folder + "/" + log)
                    plan.deathSignal = .kill
                    #expect(try await plan.start().exit(on: reactor).isSuccess)
                    return String(decoding: try Files.read(folder + "/" + log), as: UTF8.self)
                }
                // Nothing of it is left where it was begun, and nobody is told of anything any more.
                #expect(try Files.list(folder) == ["demo.log", "examples", "output", "var"])
                #expect(try await command("sallyport webhooks list", "list") == "")
                try await demo.end(.interrupt)
                // The provider's half is there again, too.
                let second = try RunningProgram(
                    ["demo"],
                    environment: settings,
                    logPath: folder + "/second.log",
                    on: reactor
                )
                defer { second.destroy() }
                _ = try await second.line(with: "ready https://localhost:\(web)/")
                #expect(try await command("sallyport reconcile | tail -1", "report").hasSuffix(" 0 differences left\n"))
                try await second.end(.interrupt)
            }
        }
    }
}
