import Accounts
import HTTPCore
import Postgres
import Primitives
package import ServiceAPI
import StrictJSON
import Web

extension WalletPart: ServiceRouted {
    /// What the shop's programs ask for.
    package static let serviceRoutes = memberRoutes + sampleRoutes

    package var servedRoutes: [ServiceRoute<WalletPart>] {
        process.settings.hasSampleRoutes ? WalletPart.serviceRoutes : WalletPart.memberRoutes
    }

    private static let memberRoutes = [
        ServiceRoute<WalletPart>(.issueCard) { call throws(Failure) in try await call.part.issue(call) },
        ServiceRoute(.listMembers) { call throws(Failure) in try await call.part.list(call) },
        ServiceRoute(.readMember) { call throws(Failure) in
            ServiceAnswer(.ok, bytes: try await call.part.member(try call.id()))
        },
        ServiceRoute(.changePoints) { call throws(Failure) in try await call.part.changePoints(call) },
        ServiceRoute(.renewLink) { call throws(Failure) in
            let answer = try await call.part.renewLink(try call.id())
            return ServiceAnswer(answer.status, answer.content)
        },
        ServiceRoute(.endMembership) { call throws(Failure) in
            let account = try call.id()
            try await call.part.end(account)
            return ServiceAnswer(.ok, bytes: try await call.part.member(account))
        },
        ServiceRoute(.wakePhones) { call throws(Failure) in
            try await call.part.wakeAll(call.parameter())
            return ServiceAnswer(.accepted, ["object": "walletPush", "passType": .string(call.parameter())])
        },
    ]

    /// What all of them share.
    static var rules: ServiceRules {
        var rules = ServiceRules()
        for name in ["passType", "member"] { rules.idPatterns[name] = "^[A-Za-z0-9._~-]{1,128}$" }
        rules.idPatterns["points"] = "^(0|[1-9][0-9]{0,8})$"
        return rules
    }

    private func issue(_ call: ServiceCall<WalletPart>) async throws(Failure) -> ServiceAnswer {
        let body = try call.body()
        let answer = try await issue(try MemberDraft(body)).answer
        return ServiceAnswer(answer.status, answer.content)
    }

    func list(_ call: ServiceCall<WalletPart>) async throws(Failure) -> ServiceAnswer {
        let names = ["state", "name", "externalId"]
        let query = try call.query(ListForm.parameters + names, nonEmpty: names)
        var wanted = MemberQuery()
        wanted.after = try ListForm.after(query) { UUIDBytes($0) }
        let given = names.filter { query[$0.octets] != nil }
        if given.count > 1 {
            throw Failure(.invalidRequest, message: "Members are found by one of these at a time.", field: given[1])
        }
        if let state = query["state"] {
            guard MemberQuery.states.contains(state.octets) else {
                throw Failure(.invalidRequest, message: "There is no such state.", field: "state")
            }
            wanted.filter = .state(state)
        }
        if let name = query["name"] {
            wanted.filter = .name(try Failure.cleaned(name, "name", MemberQuery.nameLength))
        }
        if let id = query["externalId"] {
            try Account.checkExternalID(id)
            wanted.filter = .externalID(id)
        }
        let limit = try ListForm.limit(query)
        let found = try await members(wanted, limit: limit + 1)
        let page = found.prefix(limit)
        let next = (page.last?.account ?? wanted.after)?.description
        let content = ListForm.content(page.map(\.json.utf8), next: next, hasMore: found.count > limit)
        return ServiceAnswer(.ok, bytes: content)
    }

    private func changePoints(_ call: ServiceCall<WalletPart>) async throws(Failure) -> ServiceAnswer {
        let account = try call.id()
        return try await changePoints(call, account, try PointsChange(of: call), try call.claim())
    }

    /// Changes points once for each claim.
    func changePoints(
        _ call: ServiceCall<WalletPart>,
        _ account: UUIDBytes,
        _ change: PointsChange,
        _ claim: IdempotencyClaim
    ) async throws(Failure) -> ServiceAnswer {
        guard let result = try await self.change(account, change, claim) else {
            return try await call.replay(of: claim)
        }
        return ServiceAnswer(.ok, bytes: result.json)
    }
}

extension PointsChange {
    /// What the content of a request asks for.
    ///
    /// - Throws: `invalid_request`.
    init(of call: ServiceCall<WalletPart>) throws(Failure) {
        let body = try call.body()
        self = try Failure.reading { () throws(JSONRefusal) in try PointsChange(body) }
    }

    /// `{"set":n}` or `{"add":n}`.
    init(_ body: JSONReader) throws(JSONRefusal) {
        var body = body
        let (set, add) = (try body.optionalInteger("set"), try body.optionalInteger("add"))
        switch (set, add) {
        case (let number?, nil):
            guard (0...MemberDraft.greatestPoints).contains(number) else {
                throw body.refusal("set", .notA("a number from 0 to \(MemberDraft.greatestPoints)"))
            }
            self = .set(number)
        case (nil, let number?):
            guard (-MemberDraft.greatestPoints...MemberDraft.greatestPoints).contains(number) else {
                throw body.refusal("add", .notA("a number of at most nine digits"))
            }
            self = .add(number)
        case (nil, nil): throw body.refusal("set", .missing)
        case (_?, _?): throw body.refusal("add", .unknown)
        }
        try body.end()
    }
}

extension MemberQuery {
    /// Characters of the beginning of a name.
    static let nameLength = 1...MemberDraft.nameLength.upperBound
    /// Those of passes.
    static let states: [OctetText] = ["issued", "installed", "removed", "lost", "voided"]
}
