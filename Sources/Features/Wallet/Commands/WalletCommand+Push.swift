import Operations
import Postgres
import Primitives
import ServerCore
import Settings
import StrictJSON

extension WalletCommand {
    /// Whose phones are woken.
    enum PushTarget {
        /// All phones with passes of a type.
        case passType(String)
        /// Those of one member, by the id of the account or the shop's own.
        case member(String)

        /// What a command line names; one of both.
        init(operands: ArraySlice<String>, account: String?) throws(ConfigurationError) {
            switch (operands.first, operands.count, account) {
            case (let type?, 1, nil): self = .passType(type)
            case (nil, _, let id?): self = .member(id)
            default: throw ConfigurationError(problems: ["wallet: push: name a pass type, or a member with --account"])
            }
        }
    }

    /// Has phones woken, and writes down who wanted it; the program that serves sends the pushes.
    static func push(_ target: PushTarget, _ input: CommandInput, _ context: any CommandContext) async throws -> Int32 {
        let trail = try OperatorTrail(input)
        let line = try await context.connected { _, client -> JSONValue? in
            switch target {
            case .passType(let type): try await push(allOf: type, trail, client)
            case .member(let id): try await push(member: id, trail, client)
            }
        }
        guard let line else {
            let kind = if case .member = target { "member" } else { "pass type with a template" }
            input.console.complain("sallyport: there is no such \(kind)")
            return 1
        }
        input.console.print(line.description)
        return 0
    }

    private static func push(
        allOf type: String,
        _ trail: OperatorTrail,
        _ client: PostgresClient
    ) async throws -> JSONValue? {
        let decision = OperatorTrail.Decision(command: "wallet push", target: type)
        let isKnown = try await trail.record(
            decision,
            client,
            { try await client.write(MemberStatement.wakeAll(type)).first() },
            after: { ["done": .bool($0)] }
        )
        return isKnown ? ["passType": .string(type)] : nil
    }

    private static func push(
        member id: String,
        _ trail: OperatorTrail,
        _ client: PostgresClient
    ) async throws -> JSONValue? {
        let listed = try await client.read(MemberStatement.byExternalID(id)).single()
        guard let account = listed?.account ?? UUIDBytes(id),
            try await client.read(MemberStatement.read(account)).first() != nil
        else { return nil }
        let decision = OperatorTrail.Decision(command: "wallet push", target: account.description)
        let devices = try await trail.record(
            decision,
            client,
            { try await client.write(ConsoleStatement.wake(account), key: account).first() },
            after: { ["devices": JSONValue($0)] }
        )
        return ["accountId": .string(account.description), "devices": JSONValue(devices)]
    }
}
