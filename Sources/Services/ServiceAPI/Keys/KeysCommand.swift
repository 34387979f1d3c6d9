import EventIO
import Operations
import Primitives
import ServerCore
import Settings
import StrictJSON

/// `sallyport keys`: makes, lists, renews and ends the keys of merchants' programs.
enum KeysCommand {
    static let command = FeatureCommand(
        of: ServiceFeature.self,
        "keys",
        operands: "create|list|revoke ID|rotate ID",
        "create, list, rotate and revoke the API keys of merchants' programs",
        details: """
            create prints the new key, only this once: the database has only its hash. revoke takes effect at once. rotate prints
            a new secret for the same id; the previous secret works until the end of the overlap.
            """,
        options: [
            CommandOption("name", "NAME", "create: name of the key, 1 to 100 characters"),
            CommandOption("scopes", "LIST", "create: scopes of the key, separated by commas"),
            CommandOption("overlap", "TIME", "rotate: 90s, 15m or 24h; default: 24h; 0s ends the old secret now"),
        ] + OperatorTrail.options,
        scope: { _ in .database },
        run: { _, input, context in
            let known = context.slots(Scope.self)
            let task = try Task(input.arguments, known: known)
            let trail = try OperatorTrail(input)
            let outcome = try await context.connected { reactor, client in
                let keys = PostgresKeyStore(client: client)
                return try await trail.record(
                    try await task.decision(keys, known),
                    client,
                    { try await task.run(keys, random: reactor.random, known) },
                    after: { ["done": .bool($0.complaint == nil), "id": JSONValue($0.id?.description)] }
                )
            }
            for line in outcome.lines { input.console.print(line) }
            if task == .list, outcome.lines.isEmpty { input.console.remark("there is no key") }
            if let complaint = outcome.complaint { input.console.complain("sallyport: \(complaint)") }
            return outcome.complaint == nil ? 0 : 1
        }
    ).with(
        examples: [
            "sallyport keys create --name shop --scopes sessions:read,sessions:write",
            "sallyport keys list",
        ]
    ).with { host in
        "\nScopes: \(host.slots(Scope.self).map(\.text).joined(separator: ", "))."
    }
}

extension KeysCommand {
    /// What a task came to.
    struct Outcome: Sendable {
        var lines: [String] = []
        /// Why it was not done.
        var complaint: String?
        /// The key, where one was made.
        var id: UUIDBytes?
    }

    /// What is asked for.
    enum Task: Sendable, Equatable {
        case create(name: String, scopes: [Scope])
        case list
        case revoke(UUIDBytes)
        case rotate(UUIDBytes, overlap: Duration)

        /// Reads a command line.
        ///
        /// - Parameter arguments: The verb is the first operand.
        /// - Throws: What is wrong with it.
        init(_ arguments: CommandLineArguments, known: [Scope]) throws(ConfigurationError) {
            let operands = arguments.operands
            let options = Set(arguments.values.keys).intersection(["name", "scopes", "overlap"])
            switch (operands.first, operands.count) {
            case ("create", 1) where options.isSubset(of: ["name", "scopes"]):
                guard let name = arguments.values["name"], KeyGrant.isName(name) else {
                    throw Task.problem("create needs --name, 1 to 100 printable characters")
                }
                self = .create(name: name, scopes: try Task.scopes(arguments.values["scopes"], known))
            case ("list", 1) where options.isEmpty: self = .list
            case ("revoke", 2) where options.isEmpty: self = .revoke(try Task.id(operands[1]))
            case ("rotate", 2) where options.isSubset(of: ["overlap"]):
                self = .rotate(
                    try Task.id(operands[1]),
                    overlap: try Task.overlap(arguments.values["overlap"] ?? "24h")
                )
            default: throw Task.problem("create --name N --scopes LIST, list, revoke ID, or rotate ID [--overlap 24h]")
            }
        }

        /// Does it.
        ///
        /// - Throws: What the store says.
        func run(
            _ keys: PostgresKeyStore,
            random: any RandomSource,
            _ known: [Scope]
        ) async throws(StoreError) -> Outcome {
            switch self {
            case .create(let name, let scopes):
                let (key, record) = APIKey.mint(random: random)
                try await keys.create(record, name: name, scopes: scopes)
                return Outcome(lines: [key.text], id: record.id)
            case .list:
                return Outcome(lines: try await keys.list().map { Task.value($0, known).description })
            case .revoke(let id):
                return try await keys.revoke(id) ? Outcome() : Outcome(complaint: Task.absent(id))
            case .rotate(let id, let overlap):
                let (key, record) = APIKey.rotate(id, random: random)
                guard try await keys.rotate(record, overlap: overlap) else {
                    return Outcome(complaint: Task.absent(id))
                }
                return Outcome(lines: [key.text])
            }
        }

        /// What the trail of operators says of it; `nil` for what changes nothing.
        ///
        /// - Throws: What the store says.
        func decision(_ keys: PostgresKeyStore, _ known: [Scope]) async throws(StoreError) -> OperatorTrail.Decision? {
            let (command, id): (String, UUIDBytes)
            switch self {
            case .list: return nil
            case .create(let name, _): return OperatorTrail.Decision(command: "keys create", target: name)
            case .revoke(let key): (command, id) = ("keys revoke", key)
            case .rotate(let key, _): (command, id) = ("keys rotate", key)
            }
            var decision = OperatorTrail.Decision(command: command, target: id.description)
            decision.before = try await keys.list().first { $0.grant.id == id }
                .map { Task.value($0, known) }
            return decision
        }

        private static func absent(_ id: UUIDBytes) -> String {
            "keys: there is no key \(id), or it was revoked before"
        }

        private static func value(_ record: KeyRecord, _ known: [Scope]) -> JSONValue {
            .object([
                JSONMember("id", .string(record.grant.id.description)), JSONMember("name", .string(record.grant.name)),
                JSONMember("scopes", .string(Scope.list(known.filter(record.grant.allows)))),
                JSONMember("created", time(record.created)),
                JSONMember("lastUsedOn", JSONValue(record.lastUsedOn)),
                JSONMember("oldSecretUntil", time(record.previousUntil)), JSONMember("revoked", time(record.revoked)),
            ])
        }

        private static func time(_ time: WallTime?) -> JSONValue {
            JSONValue(time.map { CalendarDate($0).extendedText })
        }

        private static func id(_ text: String) throws(ConfigurationError) -> UUIDBytes {
            guard let id = UUIDBytes(text) else { throw problem("\(text) is no id of a key") }
            return id
        }

        private static func scopes(_ list: String?, _ known: [Scope]) throws(ConfigurationError) -> [Scope] {
            guard let list else { throw problem("create needs --scopes, a list of \(Scope.list(known))") }
            do throws(Scope.ListRefusal) {
                return try Scope.parse(list, among: known)
            } catch {
                switch error {
                case .unknown(let part): throw problem("--scopes: \"\(part)\" is none of \(Scope.list(known))")
                case .repeated(let part): throw problem("--scopes: \(part) comes twice")
                }
            }
        }

        private static func overlap(_ text: String) throws(ConfigurationError) -> Duration {
            guard let seconds = DurationText.seconds(text, in: 0...30 * 86_400) else {
                throw problem("--overlap is a time such as 90s, 15m or 24h, at most 720h")
            }
            return .seconds(seconds)
        }

        private static func problem(_ text: String) -> ConfigurationError {
            ConfigurationError(problems: ["keys: \(text)"])
        }
    }
}
