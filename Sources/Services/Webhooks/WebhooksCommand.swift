import Cryptography
import EventIO
import HTTPClient
import Operations
import Postgres
import Primitives
import ServerCore
import Settings
import StrictJSON

/// `sallyport webhooks`: the endpoints of merchants, and the events that have not arrived there.
///
/// It works on the database; programs that serve notice within a second.
enum WebhooksCommand {
    static let command = FeatureCommand(
        of: WebhookDelivery.self,
        "webhooks",
        operands: "add|list|test|replay|rotate|remove …",
        "manage the endpoints that get events, and send events again",
        details: """
            add URL [--events t,…]      add an endpoint; prints its id and, only this once, its secret
            list                        print the endpoints, with the number of sessions that wait
            list [--dead] [--session ID]   print undelivered events: the dead ones, those of one session
            test ID                     send a signed test event, and print the answer; exit status 1 if it is not 2xx
            replay EVENT [--session ID] [--endpoint ID]  send a delivered event (evt_…), and those after it in its session, again
            replay --endpoint ID | --session ID  send all waiting and dead events of an endpoint or a session now
            rotate ID [--overlap 24h]   print a new secret; both secrets sign until the end of the overlap
            remove ID                   remove an endpoint and its undelivered events
            Prints JSON lines. Exit status: 0 done, 1 nothing found, 2 wrong use. docs/webhooks.md describes deliveries.
            """,
        options: [
            CommandOption("events", "TYPES", "with add: types of events, separated by commas; default: all"),
            CommandOption("dead", nil, "with list: only dead events"),
            CommandOption("session", "ID", "with list and replay: id of a session"),
            CommandOption("endpoint", "ID", "with replay: id of an endpoint"),
            CommandOption("overlap", "TIME", "with rotate: how long both secrets sign; default: 24h"),
        ] + OperatorTrail.options,
        run: { feature, input, context in
            let settings = feature.settings
            let known = WebhookEventType.ofOrders + context.slots(WebhookEventType.self)
            let action = try WebhookAction(input.arguments, settings, known: known)
            let keyring =
                action.needsSecret ? try context.features.keyring.demanded("keys are sealed with it") : nil
            let trail = try OperatorTrail(input)
            let decision = decision(input.arguments)
            let (lines, isTaken) = try await context.connected { reactor, client in
                let vault = try keyring.map { keyring throws(CryptographyError) in try WebhookVault(keyring) }
                let runner = WebhookRunner(
                    store: PostgresWebhookStore(client: client),
                    vault: vault,
                    random: reactor.random,
                    exchange: CurlClient(reactor, configuration: settings.outbound.configuration),
                    agent: context.agent
                )
                if case .test(let endpoint) = action {
                    let answer = try await runner.test(endpoint, timeout: settings.timeout)
                    return (answer.map { [$0.line] } ?? [], answer?.isTaken ?? true)
                }
                let lines = try await trail.record(
                    decision,
                    client,
                    { try await runner.run(action) },
                    after: { ["done": .bool(!$0.isEmpty), "id": endpoint($0)] }
                )
                return (lines, true)
            }
            for line in lines { input.console.print(line) }
            guard lines.isEmpty else { return isTaken ? 0 : 1 }
            guard let remark = action.remarkOnNothing else {
                input.console.complain("sallyport: nothing found")
                return 1
            }
            input.console.remark(remark)
            return 0
        }
    ).with(examples: [
        "sallyport webhooks add https://shop.example.com/hook",
        "sallyport webhooks list --dead",
    ])
}

extension WebhooksCommand {
    /// What the trail of operators says of a command line; `nil` for what changes nothing.
    private static func decision(_ arguments: CommandLineArguments) -> OperatorTrail.Decision? {
        guard let verb = arguments.operands.first, ["add", "rotate", "remove", "replay"].contains(verb) else {
            return nil
        }
        let named = arguments.operands.dropFirst().first ?? arguments.values["endpoint"] ?? arguments.values["session"]
        // An address may hold a secret behind its host.
        let target = (named ?? "").split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
        return OperatorTrail.Decision(command: "webhooks \(verb)", target: target.joined(separator: "/"))
    }

    /// The id that a line begins with: whatever else it holds may be secret.
    private static func endpoint(_ lines: [String]) -> JSONValue {
        JSONValue(lines.first.flatMap { try? JSONParser.parse(Array($0.utf8)) }?["id"]?.text)
    }
}

/// An action of an operator.
enum WebhookAction: Sendable, Equatable {
    case add(url: String, types: [WebhookEventType])
    case list
    case queues(subject: UUIDBytes?, onlyDeadLettered: Bool)
    case replay(WebhookReplay)
    case rotate(UUIDBytes, overlap: Duration)
    case remove(UUIDBytes)
    case test(UUIDBytes)

    /// Whether it needs what keys are sealed under.
    var needsSecret: Bool {
        switch self {
        case .add, .rotate, .test: true
        case .list, .queues, .replay, .remove: false
        }
    }

    /// What is said where no answer is an answer; `nil` where it is none.
    var remarkOnNothing: String? {
        switch self {
        case .list: "there is no endpoint"
        case .queues(_, onlyDeadLettered: true): "no event is dead"
        case .queues: "no event is undelivered"
        case .add, .replay, .rotate, .remove, .test: nil
        }
    }

    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - arguments: The verb first.
    /// - Throws: `ConfigurationError` that says what is wrong.
    init(
        _ arguments: CommandLineArguments,
        _ settings: WebhookSettings,
        known types: [WebhookEventType]
    ) throws(ConfigurationError) {
        let verb = arguments.operands.first ?? ""
        let words = Array(arguments.operands.dropFirst())
        let allowed: [String: Set<String>] = [
            "add": ["events"], "list": ["dead", "session"], "replay": ["session", "endpoint"], "rotate": ["overlap"],
            "remove": [], "test": [],
        ]
        guard let options = allowed[verb] else {
            throw Self.problem("say add, list, test, replay, rotate or remove")
        }
        let given = arguments.flags.union(arguments.values.keys).subtracting(
            ["config", "print-config", "help", "as", "reason"]
        )
        if let unknown = given.subtracting(options).min() { throw Self.problem("\(verb) has no option --\(unknown)") }
        let count = verb == "list" ? 0 : verb == "replay" ? words.count : 1
        guard words.count == count, count <= 1 else {
            throw Self.problem("\(verb) takes \(count == 0 ? "no operand" : "one operand")")
        }
        switch verb {
        case "add": self = try Self.adding(words[0], arguments.values["events"], settings, types)
        case "list":
            let subject = try Self.id(arguments.values["session"], "--session")
            let onlyDeadLettered = arguments.flags.contains("dead")
            self =
                subject == nil && !onlyDeadLettered
                ? .list : .queues(subject: subject, onlyDeadLettered: onlyDeadLettered)
        case "replay": self = .replay(try Self.replaying(words.first, arguments.values))
        case "rotate":
            let overlap = try Self.duration(arguments.values["overlap"] ?? "24h")
            self = .rotate(try Self.demanded(words[0], "the endpoint"), overlap: overlap)
        case "test": self = .test(try Self.demanded(words[0], "the endpoint"))
        default: self = .remove(try Self.demanded(words[0], "the endpoint"))
        }
    }

    private static func adding(
        _ url: String,
        _ events: String?,
        _ settings: WebhookSettings,
        _ known: [WebhookEventType]
    ) throws(ConfigurationError) -> WebhookAction {
        if let problem = WebhookAddress.problem(url, allowsLoopback: settings.allowsLoopback) {
            throw Self.problem("\(url): \(problem)")
        }
        guard let events else { return .add(url: url, types: []) }
        guard let types = WebhookEventType.parse(events, among: known) else {
            let words = known.map(\.text).joined(separator: ", ")
            throw Self.problem("--events: some of \(words), with commas between them")
        }
        return .add(url: url, types: types)
    }

    private static func replaying(
        _ word: String?,
        _ values: [String: String]
    ) throws(ConfigurationError) -> WebhookReplay {
        let subject = try id(values["session"], "--session")
        let endpoint = try id(values["endpoint"], "--endpoint")
        switch (word, subject, endpoint) {
        case (let word?, let subject, let endpoint):
            guard let event = WebhookEvent.id(of: word) else { throw problem("\(word) is no event id (evt_…)") }
            return .event(event, subject: subject, endpoint: endpoint)
        case (nil, let subject?, nil): return .subject(subject)
        case (nil, nil, let endpoint?): return .endpoint(endpoint)
        default: throw problem("replay takes an event, --endpoint or --session")
        }
    }

    private static func id(_ text: String?, _ name: String) throws(ConfigurationError) -> UUIDBytes? {
        guard let text else { return nil }
        return try demanded(text, name)
    }

    private static func demanded(_ text: String, _ name: String) throws(ConfigurationError) -> UUIDBytes {
        guard let id = UUIDBytes(text) else { throw problem("\(name): \(text) is no id") }
        return id
    }

    private static func duration(_ text: String) throws(ConfigurationError) -> Duration {
        guard let seconds = DurationText.seconds(text, in: 0...31 * 86_400) else {
            throw problem("--overlap: a time of up to 31 days, such as 24h or 7d")
        }
        return .seconds(seconds)
    }

    private static func problem(_ text: String) -> ConfigurationError {
        ConfigurationError(problems: ["webhooks: \(text)"])
    }
}
