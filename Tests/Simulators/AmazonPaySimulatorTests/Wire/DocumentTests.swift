import AmazonPaySimulator
import EventIO
import StrictJSON
import TestKit
import Testing

@Suite("The simulator's document")
struct DocumentTests {
    /// The `sh` blocks, in order.
    private static func commands() throws -> String {
        let text = String(decoding: try Files.read(ProjectFolder.path("docs/simulator.md")), as: UTF8.self)
        var lines: [Substring] = []
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isInside = line == "```sh"
            } else if isInside {
                lines.append(line)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The commands with their comments made checks: what stands behind `#` must be in what the line has printed.
    private static func checked(_ commands: String) -> String {
        let check = #"""
            check() {
                for word in $1; do
                    if case $word in [1-5][0-9][0-9]) tail -n 1 out | grep -q " $word\$" ;; *) grep -qF -- "$word" out ;; esac
                    then :; else echo "no $word at line $2:"; cat out; exit 1; fi
                done
            }

            """#
        let lines = commands.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            guard !line.hasPrefix(" "), !line.contains("{ #"), let mark = line.ranges(of: " # ").last else {
                return String(line)
            }
            let words = line[mark.upperBound...].drop { $0 == " " }
            let command = line[..<mark.lowerBound]
            return "{ \(command); } > out; check '\(words)' \"$LINENO\"; cat out"
        }
        return check + lines.joined(separator: "\n")
    }

    private static var curl: String? {
        ["/usr/bin/curl", "/usr/local/bin/curl"].first { Files.exists($0) }
    }

    @Test(.enabled(if: curl != nil, "curl is not installed"))
    func `works as it is written`() async throws {
        let commands = try Self.checked(Self.commands())
        #expect(commands.contains("_sim/faults"))
        #expect(commands.ranges(of: " > out; check ").count > 100)
        try await withTemporaryFolder { folder in
            try await withSimulator { bench in
                // The document's merchant is the one of the command; this test has another one.
                var script = "set -eu\n" + commands
                script = script.replacing("A1SALLYPORTDEMO", with: Bench.merchantID)
                script = script.replacing("SANDBOX-SALLYPORTDEMOKEY00000001", with: Bench.keyID)
                let store = "amzn1.application-oa2-client.5a11e9047de7e10b3e0f57ee9a1d0f00"
                script = script.replacing(store, with: Bench.storeID)
                // What the purchase has done is looked at before the later commands forget it.
                script = script.replacing("\nfault() {", with: "\ncurl -sS $SIM/_sim/log > log\nfault() {")
                var plan = ChildPlan("/bin/bash", ["-c", script + "\necho; echo the end"])
                plan.environment = ["SIM": bench.origin, "PATH": "/usr/bin:/bin:/usr/local/bin"]
                plan.workingDirectory = folder
                plan.output = .appended(path: folder + "/output")
                plan.error = .appended(path: folder + "/output")
                let exit = try await plan.start().exit(on: bench.reactor)
                let output = String(decoding: try Files.read(folder + "/output"), as: UTF8.self)
                #expect(exit.isSuccess, "\(output)")
                #expect(output.hasSuffix("the end\n"))
                #expect(!output.contains("\"error\""), "\(output)")
                let log = try JSONParser.parse(try Files.read(folder + "/log"))
                let completes = log["effectiveCompletes"]?.members.map(\.value.integer)
                #expect(completes == [1])
                #expect(log["entries"]?.elements.compactMap { $0["status"]?.integer } == [200, 200, 200])
                // Sixteen faults were taken in.
                #expect(output.contains("\"operation\":\"CheckoutStart\""))
            }
        }
    }
}
