import AppStoreTransactions
import EventIO
import HTTPClient
import Operations
import Postgres
import Primitives
import ServerCore
import Settings
import StrictJSON

/// `sallyport appstore`: judges signed texts, looks at ledgers, tries out the way of notifications, and applies those that are kept again.
enum AppStoreCommand {
    static let command = FeatureCommand(
        of: AppStoreFeature.self,
        "appstore",
        operands: "verify FILE...|account ID|balance ID|test-notification|replay|reconcile [ID]",
        "judge signed texts of the App Store, look at an account's ledgers, and try out notifications",
        details: """
            verify FILE...      judge signed texts, one a line, as purchases, notifications, renewals or app transactions, whichever they
                                are, under the roots and the app of the settings; prints a line of JSON for each: what was signed, or why
                                it is refused. - reads from standard input. Nobody is asked whether certificates are revoked
            account ID          print the ledgers of an account with purchases and entries
            balance ID          print what an account has in an environment
            test-notification   have Apple send a test notification, wait for two minutes at most for what comes of it, and say so
            replay              apply kept notifications again, as after a product was added to the file: what was applied before
                                changes nothing. Each is a commit of its own: a replay that was cut off is begun anew, from the time that
                                it has shown. The decision is recorded
            reconcile [ID]      ask Apple what has become of the purchases of an account, or of all customers, now, and take it in as any
                                other text. May be ended and run again at any time; changes nothing where nothing has changed
            Without --environment the first of app_store.environments is meant, and by replay and reconcile all of them. Exit status: 0 done, 1 a text
            is refused, there is no such account, the notification has not arrived, or Apple could not be asked, 2 wrong use.
            """,
        options: [
            CommandOption(
                "environment",
                "E",
                "with balance, test-notification, replay and reconcile: Production, Sandbox or Xcode"
            ),
            CommandOption(
                "since",
                "TIME",
                "with replay: a day or a time of RFC 3339 in UTC; default: all that is kept"
            ),
            CommandOption("until", "TIME", "with replay: before when the notifications have come; default: now"),
        ] + OperatorTrail.options,
        run: { feature, input, context in
            let settings = feature.settings
            guard settings.isOn else {
                throw AppStoreAction.problem("set \(AppStoreSettings.switches.joined(separator: ", ")) first")
            }
            let console = input.console
            switch try AppStoreAction(input.arguments, settings) {
            case .verify(let paths): return try verify(paths, settings, console)
            case .account(let id):
                return try await print(console, context) { try await $0.read(PurchaseStatement.export(id)).first() }
            case .balance(let id, let environment):
                return try await print(console, context) { database in
                    let statement = PurchaseStatement.balance(id, environment.rawValue)
                    return try await database.read(statement).single().flatMap(\.self)
                }
            case .testNotification(let environment): return try await test(environment, settings, console)
            case .replay(let since, let until, let environment):
                let replay = NotificationReplay(
                    verifiers: try AppStoreVerifiers(settings),
                    products: try ProductTable(path: settings.products),
                    since: since,
                    until: until,
                    environment: environment
                )
                return try await run(replay, try OperatorTrail(input), console, context)
            case .reconcile(let id, let environment):
                return try await AppStoreReconcile.run(settings, id, environment, console, context)
            }
        }
    ).with(
        examples: [
            "sallyport appstore verify transaction.jws",
            "sallyport appstore balance 0190a5f2-7c3b-7d1e-9f2a-5b8c1d4e6f70",
            "sallyport appstore test-notification --environment Sandbox",
            "sallyport appstore replay --since 2026-11-20",
            "sallyport appstore reconcile --environment Production",
        ]
    )

    /// Judges the texts of files, and prints what becomes of each.
    static func verify(_ paths: [String], _ settings: AppStoreSettings, _ console: Console) throws -> Int32 {
        let verifiers = try AppStoreVerifiers(settings)
        var isGood = true
        for path in paths {
            let content: [UInt8]
            do {
                content = try Files.read(path.octets == "-" ? "/dev/stdin" : path)
            } catch {
                throw AppStoreAction.problem("\(path) cannot be read: \(error.sentence)")
            }
            let texts = texts(in: content)
            if texts.isEmpty {
                isGood = false
                console.complain("appstore: \(path) has no signed text")
            }
            for line in texts {
                do throws(SignedTextRefusal) {
                    console.print(try verifiers.payload(line, at: SystemClock().now()).description)
                } catch {
                    isGood = false
                    let refusal: JSONValue = ["refused": .string(error.code), "reason": .string(error.reason.rawValue)]
                    console.print(refusal.description)
                }
            }
        }
        return isGood ? 0 : 1
    }

    /// The lines of a file, without blanks around them; empty ones are none.
    static func texts(in content: [UInt8]) -> [[UInt8]] {
        content.split(separator: UInt8(ascii: "\n"))
            .map { line in
                var text = line.drop { $0 <= 0x20 }
                while let last = text.last, last <= 0x20 { text.removeLast() }
                return Array(text)
            }
            .filter { !$0.isEmpty }
    }

    private static func print(
        _ console: Console,
        _ context: any CommandContext,
        _ read: @escaping @Sendable (PostgresClient) async throws -> StoredJSON?
    ) async throws -> Int32 {
        guard let json = try await context.connected({ _, database in try await read(database)?.utf8 }) else {
            console.complain("sallyport: there is no such account, or nothing of it")
            return 1
        }
        console.print(String(decoding: json, as: UTF8.self))
        return 0
    }

    private static func test(
        _ environment: AppStoreEnvironment,
        _ settings: AppStoreSettings,
        _ console: Console
    ) async throws -> Int32 {
        guard environment.isSigned else { throw AppStoreAction.problem("\(environment.rawValue) has no server") }
        guard settings.server.isOn else { throw AppStoreAction.problem("set app_store.private_key first") }
        let verifiers = try AppStoreVerifiers(settings)
        let keys = ServerAPIKeys(try settings.server.key(bundleID: settings.bundleID))
        let outcome = try await withEventLoop { reactor in
            let exchange = CurlClient(reactor, configuration: settings.server.purpose.configuration)
            let test = TestNotification(
                server: AppStoreServer(settings.server, keys, over: exchange, on: reactor),
                verifiers: verifiers,
                environment: environment,
                reactor: reactor
            )
            return await test.run { console.remark("appstore: \($0)") }
        }
        guard outcome.isTaken else {
            console.complain("appstore: " + outcome.sentence)
            return 1
        }
        console.print(outcome.sentence)
        return 0
    }

    private static func run(
        _ replay: NotificationReplay,
        _ trail: OperatorTrail,
        _ console: Console,
        _ context: any CommandContext
    ) async throws -> Int32 {
        let span = [replay.since, replay.until].map { CalendarDate($0).extendedText }.joined(separator: " to ")
        let decision = OperatorTrail.Decision(command: "appstore replay", target: "notifications from \(span)")
        let report = try await context.connected { _, database in
            try await trail.record(decision, database) {
                try await replay.run(on: database) { report in
                    let time = report.last.map { CalendarDate($0).extendedText } ?? ""
                    console.remark(
                        "appstore: \(report.read) notifications, up to \(time); \(report.changed) changed something"
                    )
                }
            } after: {
                $0.json
            }
        }
        console.print(report.json.description)
        return 0
    }
}
