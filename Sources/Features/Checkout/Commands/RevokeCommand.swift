import EventIO
import Operations
import Postgres
import Primitives
import ServerCore
import SessionBroker
import Settings
import StrictJSON

/// `sallyport revoke`: ends sessions whose links or cookies somebody else may have.
enum RevokeCommand {
    static let command = FeatureCommand(
        of: CheckoutFeature.self,
        "revoke",
        operands: "[SESSION]",
        "end a session, all sessions of an app install, or all sessions",
        details: """
            \(SessionName.forms)
            The tokens of a revoked session open and buy nothing; its buyer has to start over.
            A session whose purchase is under way is not revoked: the purchase ends by itself. A paid session is not revoked
            either: cancel or refund its charge.
            --install and --all revoke a thousand sessions at a time and print their progress. Ctrl-C ends the command after
            a thousand; run it again for the rest. `underWay` is the number of sessions whose purchase was under way.
            A session that the database refuses to change is passed over; `skipped` is their number.
            Exit status 0: the session has ended, now or before; with --install and --all also if the purchases of some
            were under way. 1: not ended, or some were skipped: a line has the reason. 2: wrong use or settings.
            """,
        options: [
            CommandOption("install", "HEX", "all sessions of an app install: its `app_hash` in the database"),
            CommandOption("all", nil, "all sessions of all buyers; needs --yes"),
            CommandOption("yes", nil, "with --all: confirms that every buyer in a checkout has to start over"),
        ] + OperatorTrail.options,
        scope: { _ in .database },
        run: { feature, input, context in
            let task = try RevokeTask(input.arguments)
            let trail = try OperatorTrail(input)
            let policy = try feature.settings.markingPolicy()
            let console = input.console
            let outcome = try await context.connected { reactor, client in
                let revoker = Revoker(
                    store: try PostgresSessionStore(client: client, policy: policy),
                    client: client,
                    trail: trail,
                    caller: Caller(
                        internal: "operator",
                        request: "revoke-" + Hex.encode(reactor.random.bytes(8))
                    ),
                    note: { console.complain("revoke: \($0)") }
                )
                return try await revoker.carryOut(task)
            }
            if let line = outcome.line { console.print(line) }
            if let complaint = outcome.complaint { console.complain("sallyport: \(complaint)") }
            return outcome.complaint == nil ? 0 : 1
        }
    )
}

/// The sessions that an operator ends.
enum RevokeTask: Sendable, Equatable {
    case session(SessionName)
    case install(Digest32)
    case all

    /// Reads a command line.
    ///
    /// - Throws: What is wrong with it.
    init(_ arguments: CommandLineArguments) throws(ConfigurationError) {
        let isAll = arguments.flags.contains("all")
        let install = arguments.values["install"]
        guard arguments.operands.count + (isAll ? 1 : 0) + (install == nil ? 0 : 1) == 1 else {
            throw RevokeTask.problem("name one session, --install or --all")
        }
        guard arguments.flags.contains("yes") == isAll else {
            throw RevokeTask.problem(
                isAll ? "--all ends the checkouts of all buyers: add --yes to confirm" : "--yes belongs to --all"
            )
        }
        if let install {
            guard let digest = Hex.decode(install).flatMap({ Digest32($0.span) }) else {
                throw RevokeTask.problem("--install takes 64 hexadecimal digits")
            }
            self = .install(digest)
        } else if let operand = arguments.operands.first {
            self = .session(SessionName(text: operand))
        } else {
            self = .all
        }
    }

    private static func problem(_ text: String) -> ConfigurationError {
        ConfigurationError(problems: ["revoke: \(text)"])
    }
}

/// Ends sessions for an operator; each decision is written down before.
struct Revoker {
    /// What it came to.
    struct Outcome: Sendable {
        /// To print.
        var line: String?
        /// Why nothing was ended.
        var complaint: String?
    }

    let store: PostgresSessionStore
    let client: PostgresClient
    let trail: OperatorTrail
    let caller: Caller
    /// Gets the progress of long work.
    let note: (String) -> Void

    /// Carries a decision out.
    ///
    /// - Throws: What the stores say: then the record stays open.
    func carryOut(_ task: RevokeTask) async throws -> Outcome {
        switch task {
        case .session(let name):
            switch try await name.session(in: store) {
            case .success(let webviewSession): try await revoke(webviewSession)
            case .failure(let ambiguity): Outcome(complaint: ambiguity.text)
            }
        case .install(let install): try await revokeAll("--install", Hex.encode(install.bytes), install)
        case .all: try await revokeAll("--all", "all", nil)
        }
    }

    private func revoke(_ webviewSession: WebviewSessionID) async throws -> Outcome {
        guard let found = try await store.payment(of: webviewSession) else {
            return Outcome(complaint: "there is no session \(webviewSession)")
        }
        // What has ended is not worth a record; what cannot be ended is: somebody has tried.
        if found.state.isDead { return Outcome(line: Revoker.line(webviewSession, found.state, isRevoked: false)) }
        var decision = OperatorTrail.Decision(command: "revoke", target: webviewSession.description)
        decision.before = ["state": .string(found.state.rawValue)]
        let isDone = try await trail.record(
            decision,
            client,
            { try await store.revoke(webviewSession, by: caller) },
            after: { ["done": .bool($0)] }
        )
        let state = isDone ? .revoked : try await store.payment(of: webviewSession)?.state ?? found.state
        if isDone || state.isDead { return Outcome(line: Revoker.line(webviewSession, state, isRevoked: isDone)) }
        return Outcome(
            complaint: state == .authorized
                ? "\(webviewSession) is paid: cancel or refund its charge instead"
                : "\(webviewSession) is at the provider: it ends by itself, paid or not; `stuck` shows it where it does not"
        )
    }

    private func revokeAll(_ option: String, _ target: String, _ install: Digest32?) async throws -> Outcome {
        let progress = try await trail.record(
            OperatorTrail.Decision(command: "revoke \(option)", target: target),
            client,
            {
                try await store.revokeAll(install: install, by: caller) { progress in
                    if progress.visited % 10_000 == 0 { note("\(progress.revoked) of \(progress.visited)") }
                }
            },
            after: { Revoker.line($0) }
        )
        guard let first = progress.skipped.first else { return Outcome(line: Revoker.line(progress).description) }
        let count = progress.skipped.count
        return Outcome(
            line: Revoker.line(progress).description,
            complaint:
                "the database refuses to change \(count) sessions, which may still be used: \(first)\(count > 1 ? ", …" : "");"
                + " `audit --alerts` lists them with the reason"
        )
    }

    private static func line(_ progress: RevokeProgress) -> JSONValue {
        var members = [
            JSONMember("revoked", JSONValue(progress.revoked)), JSONMember("underWay", JSONValue(progress.underWay)),
        ]
        if !progress.skipped.isEmpty { members.append(JSONMember("skipped", JSONValue(progress.skipped.count))) }
        return .object(members)
    }

    private static func line(
        _ webviewSession: WebviewSessionID,
        _ state: WebviewSessionState,
        isRevoked: Bool
    ) -> String {
        let line: JSONValue = [
            "webview_session": .string(webviewSession.description), "revoked": .bool(isRevoked),
            "state": .string(state.rawValue),
        ]
        return line.description
    }
}
