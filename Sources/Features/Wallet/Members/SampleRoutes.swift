import Cryptography
import EventIO
import HTTPCore
import Postgres
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import Web

// The paths of the sample, for programs that were written for it: the same operations as below /v1, in other shapes.

extension WalletPart {
    static let sampleRoutes = [
        ServiceRoute<WalletPart>(.sampleIssue) { call throws(Failure) in try await call.part.sampleIssue(call) },
        ServiceRoute(.sampleList) { call throws(Failure) in
            ServiceAnswer(.ok, SampleAnswer.list(try SampleAnswer.read(try await call.part.list(call).body)))
        },
        ServiceRoute(.sampleMember) { call throws(Failure) in
            try await call.part.sampleMember(try await call.part.account(call))
        },
        ServiceRoute(.samplePoints) { call throws(Failure) in
            let text = call.parameter(1)
            guard let points = DecimalDigits.parse(text.utf8Span.span, limit: MemberDraft.greatestPoints) else {
                let rule = "Points are a whole number from 0 to \(MemberDraft.greatestPoints)."
                throw Failure(.invalidRequest, message: rule, field: "points")
            }
            return try await call.part.samplePoints(call, .set(points))
        },
        ServiceRoute(.sampleChange) { call throws(Failure) in
            try await call.part.samplePoints(call, try PointsChange(of: call))
        },
        ServiceRoute(.sampleEnd) { call throws(Failure) in
            let account = try await call.part.account(call)
            try await call.part.end(account)
            return try await call.part.sampleMember(account)
        },
        ServiceRoute(.samplePush) { call throws(Failure) in
            try await call.part.wakeAll(call.parameter())
            return ServiceAnswer(.accepted, ["pass_type": .string(call.parameter())])
        },
    ]

    private func sampleIssue(_ call: ServiceCall<WalletPart>) async throws(Failure) -> ServiceAnswer {
        let body = try call.body()
        let id = try sampleID(call)
        let answer = try await issue(try MemberDraft(body, idName: "id", or: id)).answer
        return ServiceAnswer(answer.status, SampleAnswer.card(answer.content))
    }

    /// The shop's own id of a member who was sent without.
    ///
    /// The same for each repeat under a client's word, so that there is one member also where the answer was lost. Another person
    /// under a word that was used before is another member, and does not get the card of the first.
    private func sampleID(_ call: ServiceCall<WalletPart>) throws(Failure) -> String {
        guard let claim = try call.optionalClaim() else { return Serial.random(loop.reactor.random) }
        let subject = Array("sallyport/wallet/member/".utf8) + claim.fingerprint.digest.bytes + Array(claim.text.utf8)
        let digest = SHA256.digest(of: subject)
        return "id-" + Base64URL.encode(Array(digest.bytes.prefix(16)))
    }

    /// The member that a path names by the id of the account, or by the shop's own.
    private func account(_ call: ServiceCall<WalletPart>) async throws(Failure) -> UUIDBytes {
        let id = call.parameter()
        if let account = UUIDBytes(id) { return account }
        guard let member = try await members(MemberQuery(filter: .externalID(id)), limit: 1).first else {
            throw Failure(.notFound)
        }
        return member.account
    }

    private func sampleMember(_ account: UUIDBytes) async throws(Failure) -> ServiceAnswer {
        ServiceAnswer(.ok, SampleAnswer.member(try SampleAnswer.read(try await member(account))))
    }

    private func samplePoints(
        _ call: ServiceCall<WalletPart>,
        _ change: PointsChange
    ) async throws(Failure) -> ServiceAnswer {
        let account = try await account(call)
        guard let claim = try call.optionalClaim() else {
            guard let result = try await self.change(account, change, nil) else { throw Failure(.internalError) }
            return ServiceAnswer(
                .ok,
                [
                    "points": JSONValue(result.points), "changed": .bool(result.outcome == .changed),
                    "devices": JSONValue(result.devices),
                ]
            )
        }
        let known = try await changePoints(call, account, change, claim)
        var answer = ServiceAnswer(known.status, SampleAnswer.points(try SampleAnswer.read(known.body)))
        answer.isReplayed = known.isReplayed
        return answer
    }
}

/// The answers below `/v1` in the shapes of the sample.
private enum SampleAnswer {
    static func read(_ json: [UInt8]) throws(Failure) -> JSONValue {
        do throws(JSONError) {
            return try JSONParser.parse(json)
        } catch {
            throw Failure(.internalError, "wallet: an answer of ours is no JSON: \(error)")
        }
    }

    static func card(_ card: JSONValue) -> JSONValue {
        renamed(card, ["accountId": "member_id", "walletUrl": "wallet_url", "serialNumber": "serial_number"])
    }

    static func points(_ points: JSONValue) -> JSONValue {
        renamed(points, ["changed": "changed", "points": "points", "devices": "devices"])
    }

    static func list(_ list: JSONValue) -> JSONValue {
        [
            "members": .array((list["data"]?.elements ?? []).map(member)),
            "next": list["hasMore"]?.flag == true ? list["nextCursor"] ?? .null : .null,
        ]
    }

    /// A member with the newest card.
    static func member(_ member: JSONValue) -> JSONValue {
        let pass = member["passes"]?.elements.last ?? .null
        let own = renamed(
            member,
            ["accountId": "member_id", "externalId": "id", "name": "name", "state": "state", "points": "points"]
        )
        let newest = renamed(
            pass,
            [
                "serialNumber": "serial_number", "version": "version", "devices": "devices",
                "linkOpenedAt": "link_opened_at", "history": "events",
            ]
        )
        return .object(own.members + newest.members)
    }

    /// The members with another name, and no others.
    private static func renamed(_ object: JSONValue, _ names: [OctetText: String]) -> JSONValue {
        .object(
            object.members.compactMap { member in names[member.name.octets].map { JSONMember($0, member.value) } }
        )
    }
}
