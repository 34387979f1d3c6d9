import EventIO
import Operations
import Postgres
import Primitives
import ServerCore
import Settings
import StrictJSON

/// `sallyport accounts`: lists, shows, exports and erases accounts, and ends the tokens of apps.
enum AccountsCommand {
    static let command = FeatureCommand(
        of: AccountsFeature.self,
        "accounts",
        operands: "list|show ID|export ID|erase ID|tokens ID|revoke ID [TOKEN]",
        "list, show, export and erase accounts; list and end the tokens of apps",
        details: """
            list prints accounts, the newest first, a line of JSON for each. show prints one, export all that is kept of it. erase takes it
            off all that features keep, as DELETE /v1/accounts/{id} does, and prints what each has done; what could not be erased
            now, a program that serves tries again. tokens prints the tokens of its apps that work, revoke ends one of them, or all.
            --external-id names an account in place of ID. erase and revoke are recorded as `sallyport audit --operators` shows, without the
            external id. Exit status: 0 done, 1 there is no such account or token, or something is left of an erased one, 2 wrong use.
            """,
        options: [
            CommandOption("external-id", "TEXT", "the merchant's own id of the person, in place of ID"),
            CommandOption("limit", "NUMBER", "list: how many; default: 20"),
            CommandOption("after", "ID", "list: behind which account"),
            CommandOption("yes", nil, "erase: confirms that nothing brings back what is erased"),
        ] + OperatorTrail.options,
        scope: { _ in .database },
        run: { _, input, context in
            let task = try Task(input.arguments)
            let runner = Runner(
                data: context.slots(AccountData.self),
                trail: try OperatorTrail(input),
                console: input.console
            )
            return try await context.connected { _, database in try await runner.run(task, database) }
        }
    ).with(
        examples: [
            "sallyport accounts list --limit 5", "sallyport accounts show --external-id customer-4711",
            "sallyport accounts erase 0190a5f2-7c3b-7d1e-9f2a-5b8c1d4e6f70 --yes --reason 'asked for it by letter'",
        ]
    )
}

extension AccountsCommand {
    /// Names an account.
    enum Name: Sendable, Equatable {
        case id(UUIDBytes)
        case externalID(String)
    }

    /// What is asked for.
    enum Task: Sendable, Equatable {
        case list(limit: Int, after: UUIDBytes?)
        case show(Name)
        case export(Name)
        case erase(Name)
        case tokens(Name)
        /// One token, or all of them.
        case revoke(Name, UUIDBytes?)

        /// Reads a command line.
        ///
        /// - Throws: What is wrong with it.
        init(_ arguments: CommandLineArguments) throws(ConfigurationError) {
            let (values, isConfirmed) = (arguments.values, arguments.flags.contains("yes"))
            var operands = arguments.operands[...]
            guard let verb = operands.popFirst() else { throw Task.problem(Task.usage) }
            guard isConfirmed == (verb == "erase") else {
                let missing = "erase: nothing brings back what is erased: add --yes to confirm"
                throw Task.problem(isConfirmed ? "--yes belongs to erase" : missing)
            }
            guard verb != "list" else {
                guard operands.isEmpty, values["external-id"] == nil else { throw Task.problem(Task.usage) }
                self = .list(limit: try Task.limit(values["limit"]), after: try values["after"].map(Task.id))
                return
            }
            guard values["limit"] == nil, values["after"] == nil else {
                throw Task.problem("--limit and --after belong to list")
            }
            let name = try Task.name(&operands, values["external-id"])
            switch (verb, operands.count) {
            case ("show", 0): self = .show(name)
            case ("export", 0): self = .export(name)
            case ("erase", 0): self = .erase(name)
            case ("tokens", 0): self = .tokens(name)
            case ("revoke", 0...1): self = .revoke(name, try operands.first.map(Task.id))
            default: throw Task.problem(Task.usage)
            }
        }

        private static let usage = "list, or one of show, export, erase, tokens and revoke with an account"

        private static func name(
            _ operands: inout ArraySlice<String>,
            _ externalID: String?
        ) throws(ConfigurationError) -> Name {
            if let externalID { return .externalID(externalID) }
            guard let text = operands.popFirst() else { throw problem(usage) }
            return .id(try id(text))
        }

        private static func id(_ text: String) throws(ConfigurationError) -> UUIDBytes {
            guard let id = UUIDBytes(text) else { throw problem("\(text) is no id of an account or a token") }
            return id
        }

        private static func limit(_ text: String?) throws(ConfigurationError) -> Int {
            let most = 1_000
            guard let text else { return 20 }
            guard let limit = DecimalDigits.parse(text.utf8Span.span, limit: most), limit > 0 else {
                throw problem("--limit is a whole number from 1 to \(most)")
            }
            return limit
        }

        private static func problem(_ text: String) -> ConfigurationError {
            ConfigurationError(problems: ["accounts: \(text)"])
        }
    }
}

extension AccountsCommand {
    /// Carries out what is asked for; gives the exit status.
    struct Runner: Sendable {
        let data: [AccountData]
        let trail: OperatorTrail
        let console: Console

        func run(_ task: Task, _ database: PostgresClient) async throws -> Int32 {
            switch task {
            case .list(let limit, let after):
                let accounts = try await database.read(AccountStatement.page(after, limit)).all()
                for account in accounts { console.print(account.json.description) }
                if accounts.isEmpty { console.remark("there is no account") }
                return 0
            case .show(let name):
                guard let account = try await account(name, database) else { return absent() }
                console.print(account.json.description)
                return 0
            case .export(let name):
                guard let account = try await account(name, database) else { return absent() }
                guard account.erased == nil else { return complain("the account was erased") }
                console.print(try await records(database).export(account).json.description)
                return 0
            case .erase(let name):
                guard let account = try await account(name, database) else { return absent() }
                return try await erase(account.id, database)
            case .tokens(let name):
                guard let account = try await account(name, database) else { return absent() }
                let page = AccountTokenStatement.page(account.id, nil, AccountToken.most)
                let tokens = try await database.read(page).all()
                for token in tokens { console.print(token.json.description) }
                if tokens.isEmpty { console.remark("the account has no token") }
                return 0
            case .revoke(let name, let token):
                guard let account = try await account(name, database) else { return absent() }
                return try await revoke(token, of: account.id, database)
            }
        }

        private func account(_ name: Name, _ database: PostgresClient) async throws -> Account? {
            switch name {
            case .id(let id): try await database.read(AccountStatement.read(id)).single()
            case .externalID(let text): try await database.read(AccountStatement.find(text)).single()
            }
        }

        private func erase(_ id: UUIDBytes, _ database: PostgresClient) async throws -> Int32 {
            let erased = try await trail.record(
                OperatorTrail.Decision(command: "accounts erase", target: id.description),
                database,
                { try await records(database).erase(id) },
                after: { ["done": .bool($0?.report.isComplete == true)] }
            )
            guard let (account, report) = erased else { return absent() }
            console.print(report.json(account).description)
            return report.isComplete ? 0 : complain("something is left; a program that serves tries again")
        }

        private func revoke(_ token: UUIDBytes?, of id: UUIDBytes, _ database: PostgresClient) async throws -> Int32 {
            let statement = token.map { AccountTokenStatement.revoke(id, $0) } ?? AccountTokenStatement.revokeAll(id)
            let count = try await trail.record(
                OperatorTrail.Decision(command: "accounts revoke", target: (token ?? id).description),
                database,
                { try await database.write(statement, key: id).count },
                after: { ["revoked": JSONValue($0)] }
            )
            guard token == nil || count > 0 else { return complain("the account has no such token, or it has ended") }
            console.print(AccountsPart.revocation(of: id, count).description)
            return 0
        }

        private func records(_ database: PostgresClient) -> AccountRecords {
            AccountRecords(database, data) { [console] feature, _, detail in
                console.complain("sallyport: \(feature): \(detail)")
            }
        }

        private func absent() -> Int32 { complain("there is no such account") }

        private func complain(_ text: String) -> Int32 {
            console.complain("sallyport: \(text)")
            return 1
        }
    }
}
