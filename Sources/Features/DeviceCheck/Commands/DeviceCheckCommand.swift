import DeviceAttestation
import EventIO
import HTTPClient
import Operations
import Postgres
import Primitives
import ServerCore
import Settings
import StrictJSON

/// `sallyport devicecheck`: asks Apple whether it takes our key, makes a code for support, and shows what was decided.
enum DeviceCheckCommand {
    static let command = FeatureCommand(
        of: DeviceCheckFeature.self,
        "devicecheck",
        operands: "probe|reset ID|history [ID]",
        "find out whether Apple takes the key, make a code that resets a device, look at what was decided",
        details: """
            probe          ask Apple about a token that no device has made, and say what its answer means: whether key, team and rights
                           are as they should be, and how far the clocks are apart. Nothing is changed at Apple, and nobody's device is
                           asked about
            reset ID       make a code with which the owner of an account resets the device at hand, and print it. It works once, for a
                           quarter of an hour, in place of one from before; the app shows it with a new token of the device. A device on
                           which fraud was found stays as it is, unless device_check.reset_blocked is set. The decision is recorded, here
                           and in the history of the account
            history [ID]   print what Apple was asked, what was decided and what persons have done for an account, the newest first, a
                           line of JSON each; without an account, what was posted to device_check.form_path, which names none
            ID is the id of an account. Without --environment that of device_check.environment is meant. Exit status: 0 done, 1 Apple does
            not take the key or gives no answer, or there is no such account or nothing of it, 2 wrong use.
            """,
        options: [
            CommandOption("environment", "E", "with probe: production or development"),
            CommandOption("limit", "N", "with history: how many lines at most; default: 100"),
        ] + OperatorTrail.options,
        run: { feature, input, context in
            let (settings, console) = (feature.settings, input.console)
            let action = try DeviceCheckAction(input.arguments)
            guard settings.isOn else { throw DeviceCheckAction.problem("set device_check.team_id first") }
            switch action {
            case .probe(let environment): return try await probe(environment, settings, console)
            case .reset(let account):
                let trail = try OperatorTrail(input)
                return try await context.connected { reactor, database in
                    try await reset(account, trail, ResetCode(reactor.random), database, console)
                }
            case .history(let account, let limit):
                return try await context.connected { _, database in
                    try await history(account ?? DeviceCheckPart.nobody, limit, database, console)
                }
            }
        }
    ).with(
        examples: [
            "sallyport devicecheck probe", "sallyport devicecheck probe --environment development",
            "sallyport devicecheck reset 0190a5f2-7c3b-7d1e-9f2a-5b8c1d4e6f70 --reason 'bought the phone used'",
            "sallyport devicecheck history 0190a5f2-7c3b-7d1e-9f2a-5b8c1d4e6f70 --limit 20",
        ]
    )

    private static func probe(
        _ environment: DeviceEnvironment?,
        _ settings: DeviceCheckSettings,
        _ console: Console
    ) async throws -> Int32 {
        guard settings.apple.isOn else { throw DeviceCheckAction.problem("set device_check.private_key first") }
        let environment = environment ?? settings.environment
        let access = AppleDeviceAccess(try settings.apple.tokens())
        let report = try await withEventLoop { reactor in
            let exchange = CurlClient(reactor, configuration: settings.apple.purpose(environment).configuration)
            return await CredentialProbe(
                service: AppleDeviceService(settings.apple, access, over: exchange, on: reactor),
                settings: settings.apple,
                environment: environment,
                random: reactor.random
            )
            .run()
        }
        switch report.outcome {
        case .good: console.print(report.sentence)
        case .refused: console.complain("devicecheck: \(report.sentence) \(CredentialProbe.remedy)")
        case .unanswered: console.complain("devicecheck: " + report.sentence)
        }
        return report.outcome == .good ? 0 : 1
    }

    /// Makes a code for an account.
    ///
    /// - Returns: 1 where there is no such account.
    static func reset(
        _ account: UUIDBytes,
        _ trail: OperatorTrail,
        _ code: ResetCode,
        _ database: PostgresClient,
        _ console: Console
    ) async throws -> Int32 {
        let decision = OperatorTrail.Decision(command: "devicecheck reset", target: account.description)
        let answer = try await trail.record(decision, database) {
            try await code.keep(for: account, by: trail.name, reason: trail.reason ?? "", in: database)
        } after: {
            ["done": .bool($0 != nil)]
        }
        guard let answer else {
            console.complain("devicecheck: there is no such account")
            return 1
        }
        console.print(answer.description)
        console.remark("devicecheck: the app of the account shows the code with a new token of the device")
        return 0
    }

    /// Prints the newest rows of an account.
    ///
    /// - Returns: 1 where there is none.
    static func history(
        _ account: UUIDBytes,
        _ limit: Int,
        _ database: PostgresClient,
        _ console: Console
    ) async throws -> Int32 {
        let rows = try await database.read(DeviceStatement.history(account, nil, limit)).all()
        for row in rows { console.print(String(decoding: row.json, as: UTF8.self)) }
        if rows.isEmpty { console.complain("devicecheck: there is no such account, or nothing of it") }
        return rows.isEmpty ? 1 : 0
    }
}
