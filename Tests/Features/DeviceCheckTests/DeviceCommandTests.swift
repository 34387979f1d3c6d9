import DeviceAttestation
import EventIO
import FeatureTestKit
import HTTPCore
import Operations
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import Settings
import StrictJSON
import Testing

@testable import DeviceCheck

@Suite struct `The command of devices` {
    private let anna = DeviceFixture.account(1)
    private let nobody = DeviceFixture.account(9)

    private final class Lines: Sendable {
        private let lines = Lock<(out: [String], err: [String])>(([], []))

        var out: [String] { lines.withLock { $0.out } }
        var err: [String] { lines.withLock { $0.err } }

        var console: Console {
            Console(
                print: { line in self.lines.withLock { $0.out.append(line) } },
                complain: { line in self.lines.withLock { $0.err.append(line) } }
            )
        }
    }

    /// With the rights of the program's role.
    @Test func `makes a code that resets a device, and writes down who has decided it`() async throws {
        try await withDevices { shop in
            try shop.open([anna])
            shop.apple.set(.trialUsed, on: 0)
            let trail = try #require(OperatorTrail(name: "hana", reason: "bought used"))
            let (lines, database) = (Lines(), shop.part.loop.database)
            func run(_ account: UUIDBytes) async throws -> Int32 {
                let code = ResetCode(shop.part.loop.reactor.random)
                return try await DeviceCheckCommand.reset(account, trail, code, database, lines.console)
            }
            #expect(try await run(nobody) == 1)
            #expect(lines.out.isEmpty && lines.err == ["devicecheck: there is no such account"])
            #expect(try await run(anna) == 0)
            let printed = try JSONParser.parse(Array(try #require(lines.out.last).utf8))
            #expect(printed["expiresIn"]?.integer == 900 && printed.word("accountId") == anna.description)
            let code = try #require(printed.word("code"))
            let answer = await shop.answer {
                try await shop.part.reset(try shop.question(anna, shop.apple.token(of: 0)), code: code)
            }
            #expect(answer.word("state") == "known" && shop.apple.state(of: 0) == .known)
            let kept = try shop.admin.rows(
                "SELECT detail->>'operator', detail->>'reason' FROM device_history WHERE kind = 'reset'"
            )
            #expect(kept == [["hana", "bought used"]])
            let recorded =
                "SELECT operator, reason, target FROM operator_event WHERE command = 'devicecheck reset' AND target = '\(anna)'"
            #expect(try shop.admin.rows(recorded) == [["hana", "bought used", anna.description]])
            // The code itself is nowhere.
            #expect(try shop.value("SELECT count(*) FROM operator_event AS e WHERE e::text LIKE '%\(code)%'") == "0")
        }
    }

    @Test func `prints what was decided for an account, and for posts that name none`() async throws {
        try await withDevices(["device_check.form_path": "/token.php"]) { shop in
            try shop.open([anna])
            _ = await shop.claim(anna, device: 0)
            let post = "deviceToken=" + shop.apple.token(of: 1)
            #expect(try await shop.program.ask(.post, "/token.php", json: post).status == 200)
            let database = shop.part.loop.database
            for (account, kinds) in [
                (anna, ["claim", "call", "call"]), (DeviceCheckPart.nobody, ["mark", "call", "call"]),
            ] {
                let lines = Lines()
                #expect(try await DeviceCheckCommand.history(account, 10, database, lines.console) == 0)
                let rows = try lines.out.map { try JSONParser.parse(Array($0.utf8)) }
                #expect(rows.map { $0.word("kind") } == kinds && lines.err.isEmpty)
            }
            let few = Lines()
            #expect(try await DeviceCheckCommand.history(anna, 1, database, few.console) == 0)
            #expect(few.out.count == 1)
            #expect(try await DeviceCheckCommand.history(nobody, 10, database, few.console) == 1)
            #expect(few.out.count == 1 && few.err.count == 1)
        }
    }

    @Test func `says what is wrong with how it is called`() throws {
        func action(_ words: String...) throws -> DeviceCheckAction {
            let options = ["environment", "limit", "as", "reason"].map { CommandOption($0, "X", "") }
            return try DeviceCheckAction(CommandLineArguments(["devicecheck"] + words, options: options))
        }
        let id = anna.description
        #expect(try action("probe") == .probe(nil))
        #expect(try action("probe", "--environment", "development") == .probe(.development))
        #expect(try action("reset", id, "--reason", "x", "--as", "hana") == .reset(anna))
        #expect(try action("history") == .history(nil, limit: 100))
        #expect(try action("history", id, "--limit", "5") == .history(anna, limit: 5))
        let wrong: [([String], String)] = [
            ([], "name one of probe, reset and history"), (["look"], "name one of"), (["reset", id], "--reason"),
            (["reset"], "one account"), (["reset", "nobody", "--reason", "x"], "no id of an account"),
            (["history", id, id], "one account or none"), (["history", "--limit", "0"], "--limit"),
            (["history", "--limit", "x"], "--limit"), (["history", "--reason", "x"], "no option --reason"),
            (["probe", id], "no operand"), (["probe", "--environment", "sandbox"], "production or development"),
            (["reset", id, "--reason", "x", "--limit", "1"], "no option --limit"),
        ]
        for (words, sentence) in wrong {
            let options = ["environment", "limit", "as", "reason"].map { CommandOption($0, "X", "") }
            let error = #expect(throws: ConfigurationError.self) {
                try DeviceCheckAction(CommandLineArguments(["devicecheck"] + words, options: options))
            }
            #expect(error?.problems.first?.contains(sentence) == true, "\(words): \(error?.problems ?? [])")
        }
    }
}
