import HTTPCore
import Operators
import Pages
import Postgres
import Primitives
import ServerCore
import StrictJSON
import Web

// Management of members on the administration listener.

extension WalletPart {
    static let consoleRoutes: RouteGroup<WalletPart> = .operators([
        .page("/console/wallet", "members of the shop", WalletPart.memberList),
        .page("/console/wallet/members/{account}", "a member with cards, phones and history", WalletPart.memberPage),
        .page("/console/wallet/members/{account}/end", "the step before the end", role: .change, WalletPart.endPage),
        .change(
            "/console/wallet/members/{account}/points",
            "set points, add or take off",
            fields: ["number", "how", "reason"],
            WalletPart.changePoints
        ),
        .change("/console/wallet/members/{account}/link", "renew the download link", fields: [], WalletPart.renewLink),
        .change(
            "/console/wallet/members/{account}/push",
            "wake the member's phones",
            fields: [],
            WalletPart.wakePhones
        ),
        .change(
            "/console/wallet/members/{account}/end",
            "end the membership",
            fields: ["reason"],
            WalletPart.endMembership
        ),
    ])

    private func memberList(_ request: OperatorRequest) async throws -> OperatorPage {
        let query = try ConsoleQuery(
            words: request.http.parameter("q"),
            state: request.http.parameter("state"),
            after: request.http.parameter("after")
        )
        let found = try await listed(query)
        let page = found.prefix(ConsoleQuery.pageLength)
        let next = found.count > ConsoleQuery.pageLength ? page.last?.account : nil
        var members: [MemberView] = []
        for member in page { members.append(try view(member.json.utf8)) }
        // The statement for names knows no state.
        if let state = query.state, !query.words.isEmpty { members.removeAll { $0.state != state } }
        return request.memberList(members, query, next: next)
    }

    /// A page of members, and one more where there are more; on the first page of a search the one of that number stands first.
    private func listed(_ query: ConsoleQuery) async throws(Failure) -> [ListedMember] {
        let limit = ConsoleQuery.pageLength + 1
        guard query.words.isEmpty else {
            let named = try await members(MemberQuery(filter: .name(query.words), after: query.after), limit: limit)
            guard query.after == nil else { return named }
            let numbered = try await members(MemberQuery(filter: .externalID(query.words)), limit: 1)
            return numbered + named.filter { member in !numbered.contains { $0.account == member.account } }
        }
        let filter = query.state.map { MemberQuery.Filter.state($0.rawValue) } ?? .all
        return try await members(MemberQuery(filter: filter, after: query.after), limit: limit)
    }

    private func view(_ json: [UInt8]) throws(Failure) -> MemberView {
        guard let value = try? JSONParser.parse(json), let view = MemberView(value) else {
            throw Failure(.internalError, "wallet: the database describes a member in another way")
        }
        return view
    }

    /// The member of a path.
    private func view(_ request: OperatorRequest) async throws(Failure) -> MemberView {
        guard let account = UUIDBytes(request.http.capture(0)) else { throw Failure(.notFound) }
        return try view(try await member(account))
    }

    private func memberPage(_ request: OperatorRequest) async throws -> OperatorPage {
        request.memberPage(try await view(request))
    }

    private func endPage(_ request: OperatorRequest) async throws -> OperatorPage {
        let member = try await view(request)
        return member.isOpen ? request.endPage(member) : request.memberPage(member, problem: ConsoleTexts.endedAlready)
    }

    private func changePoints(_ request: OperatorRequest) async throws -> OperatorAnswer {
        let member = try await view(request)
        guard let wish = PointsForm.number(request["number"], how: request["how"]) else {
            return .page(request.memberPage(member, problem: ConsoleTexts.notANumber, status: .badRequest))
        }
        let change = wish.isSum ? PointsChange.add(wish.number) : .set(wish.number)
        let decision = OperatorTrail.Decision(
            command: "console wallet-points",
            target: member.account.description,
            before: ["points": JSONValue(member.points)]
        )
        return try await decide(request, member, try request.trail(), decision) {
            guard let result = try await self.change(member.account, change, nil) else { throw Failure(.internalError) }
            let notice =
                result.outcome == .unchanged
                ? ConsoleTexts.unchanged : ConsoleTexts.changed(result.points, devices: result.devices)
            return Carried(
                .done(MemberView.address(member.account), request.text(notice)),
                ["points": JSONValue(result.points)]
            )
        }
    }

    private func renewLink(_ request: OperatorRequest) async throws -> OperatorAnswer {
        let member = try await view(request)
        let decision = OperatorTrail.Decision(command: "console wallet-link", target: member.account.description)
        return try await decide(request, member, try request.trail(), decision) {
            let answer = try await self.renewLink(member.account)
            return Carried(.page(request.memberPage(member, link: answer.content["walletUrl"]?.text)), ["done": true])
        }
    }

    private func wakePhones(_ request: OperatorRequest) async throws -> OperatorAnswer {
        let member = try await view(request)
        let decision = OperatorTrail.Decision(command: "console wallet-push", target: member.account.description)
        return try await decide(request, member, try request.trail(), decision) {
            let devices = try await Failure.mapErrors {
                try await self.loop.database.write(ConsoleStatement.wake(member.account), key: member.account).first()
            }
            self.wake()
            let notice = request.text(ConsoleTexts.woken(devices))
            return Carried(.done(MemberView.address(member.account), notice), ["devices": JSONValue(devices)])
        }
    }

    private func endMembership(_ request: OperatorRequest) async throws -> OperatorAnswer {
        let member = try await view(request)
        let decision = OperatorTrail.Decision(
            command: "console wallet-end",
            target: member.account.description,
            before: ["state": .string(member.state.rawValue)]
        )
        return try await decide(request, member, try request.demandedTrail(), decision) {
            try await self.end(member.account)
            return Carried(
                .done(MemberView.address(member.account), request.text(ConsoleTexts.endedNow)),
                ["done": true]
            )
        }
    }

    /// Records a decision, carries it out, and says on the member's page why it was refused.
    private func decide(
        _ request: OperatorRequest,
        _ member: MemberView,
        _ trail: OperatorTrail,
        _ decision: OperatorTrail.Decision,
        _ body: () async throws -> Carried
    ) async throws -> OperatorAnswer {
        let carried = try await trail.record(
            decision,
            loop.database,
            {
                do {
                    return try await body()
                } catch let failure as Failure {
                    guard let problem = ConsoleTexts.refusals[failure.code] else { throw failure }
                    let page = request.memberPage(member, problem: problem, status: failure.code.status)
                    return Carried(.page(page), ["refused": .string(failure.code.name)])
                }
            },
            after: { $0.after }
        )
        return carried.answer
    }
}

/// What a decision came to: for the person, and for the record.
private struct Carried {
    let answer: OperatorAnswer
    let after: JSONValue

    init(_ answer: OperatorAnswer, _ after: JSONValue) {
        self.answer = answer
        self.after = after
    }
}

extension ConsoleTexts {
    /// What the page of a member says of a change that was refused.
    static let refusals: [FailureCode: Localized] = [
        .membershipEnded: endedAlready, .pointsOutOfRange: outOfRange,
    ]
}

/// What the management pages have the database asked, beside the shop's routes.
enum ConsoleStatement {
    static let all = [wake.statement, points.statement]

    /// Member, number, whether it is added.
    static let points = TypedStatement<PointsResult, UUIDBytes, Int64, Bool>(
        name: "wallet_console_points",
        sql: "SELECT w.outcome, coalesce(w.points, 0), coalesce(w.devices, 0) FROM wallet_points($1, $2, $3) AS w"
    ) { row in
        PointsResult(outcome: try row.next(), points: try row.next(), devices: try row.next(), json: [])
    }

    /// Has the phones with the passes of a member woken; how many there are.
    static let wake = TypedStatement<Int, UUIDBytes>(
        name: "wallet_console_wake",
        sql: """
            SELECT coalesce(sum(w.devices), 0)::bigint FROM (
                SELECT p.devices, wallet_push(p.pass_type, ARRAY[p.serial], p.tag, statement_timestamp())
                FROM wallet_pass AS p WHERE p.account_id = $1 AND p.devices > 0) AS w
            """
    )
}

extension OperatorMenuEntry {
    /// Of the members of the shop.
    static let walletMembers = OperatorMenuEntry("/console/wallet", ConsoleTexts.members)
}
