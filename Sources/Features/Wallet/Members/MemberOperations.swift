import Accounts
import EventIO
import HTTPCore
import Postgres
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import WalletPass
import Web

/// What a route of the shop is answered.
struct MemberAnswer {
    let status: HTTPStatus
    let content: JSONValue
}

/// What becomes of a member's points.
enum PointsChange: Equatable {
    case set(Int)
    case add(Int)
}

// What the shop does with members, whichever route it takes.

extension WalletPart {
    /// Makes a member and a pass, or finds them: the same card and link each time.
    func issue(_ draft: MemberDraft) async throws(Failure) -> (pass: IssuedPass, answer: MemberAnswer) {
        let template = try draft.chosen(from: files.current)
        // One of a reload a moment ago: the database has to know it before a pass is made of it.
        try await Failure.mapErrors { try await self.process.note(self.loop.database) }
        let serial = Serial.random(loop.reactor.random)
        let statement = MemberStatement.issue(
            draft.externalID,
            draft.name,
            Int64(draft.points),
            template.passType,
            serial,
            template.name,
            JSONValue.object(draft.fields).description,
            Int32(secrets.newest)
        )
        let issued = try await Failure.mapErrors { try await self.loop.database.write(statement).first() }
        guard issued.outcome != .ended, let number = issued.serial else { throw Failure(.membershipEnded) }
        let content: JSONValue = [
            "object": "walletCard", "accountId": .string(issued.account.description),
            "externalId": .string(draft.externalID), "passType": .string(template.passType),
            "serialNumber": .string(number),
            "walletUrl": .string(
                try link(of: issued.account, secret: issued.secret, number: issued.link) + chosen(template)
            ),
        ]
        return (issued, MemberAnswer(status: issued.outcome == .created ? .created : .ok, content: content))
    }

    /// What makes a link lead to one of several cards.
    private func chosen(_ template: PassTemplate) -> String {
        let types = Set(files.current.usable.map(\.passType.octets))
        return types.count > 1 ? "&\(LinkVisitor.type)=\(template.passType)" : ""
    }

    /// The member with passes, phones and history, as JSON.
    func member(_ account: UUIDBytes) async throws(Failure) -> [UInt8] {
        let row = try await Failure.mapErrors {
            try await self.loop.database.read(MemberStatement.read(account)).first()
        }
        guard let row else { throw Failure(.notFound) }
        return row.utf8
    }

    /// Changes points, where a program asks for it once for each claim; does not wait for phones.
    ///
    /// - Returns: `nil` for a claim that was there before.
    func change(
        _ account: UUIDBytes,
        _ change: PointsChange,
        _ claim: IdempotencyClaim?
    ) async throws(Failure) -> PointsResult? {
        let (number, isSum) =
            switch change {
            case .set(let number): (number, false)
            case .add(let number): (number, true)
            }
        let result = try await Failure.mapErrors {
            guard let claim else {
                let statement = ConsoleStatement.points(account, Int64(number), isSum)
                return try await self.loop.database.write(statement, key: account).first()
            }
            let statement = MemberStatement.points(claim, account, Int64(number), isSum)
            return try await self.loop.database.write(statement, key: account).first()
        }
        switch result.outcome {
        case .changed:
            wake()
            return result
        case .unchanged: return result
        case .claimed: return nil
        case .unknown: throw Failure(.notFound)
        case .ended: throw Failure(.membershipEnded)
        case .tooFew, .tooMany: throw Failure(.pointsOutOfRange)
        }
    }

    /// Another download link; that of before is dead.
    func renewLink(_ account: UUIDBytes) async throws(Failure) -> MemberAnswer {
        let statement = MemberStatement.renewLink(account, Int32(secrets.newest))
        let renewed = try await Failure.mapErrors {
            try await self.loop.database.write(statement, key: account).first()
        }
        switch renewed.outcome {
        case .renewed:
            let url = try link(of: account, secret: secrets.newest, number: renewed.link)
            return MemberAnswer(
                status: .ok,
                content: [
                    "object": "walletLink", "accountId": .string(account.description), "walletUrl": .string(url),
                ]
            )
        case .ended: throw Failure(.membershipEnded)
        case .unknown: throw Failure(.notFound)
        }
    }

    /// Ends a membership; one that has ended stays so.
    func end(_ account: UUIDBytes) async throws(Failure) {
        let statement = MemberStatement.end(account)
        switch try await Failure.mapErrors({ try await self.loop.database.write(statement, key: account).first() }) {
        case .ended: wake()
        case .repeated: break
        case .unknown: throw Failure(.notFound)
        }
    }

    /// Has all phones with passes of a type woken, little by little.
    func wakeAll(_ passType: String) async throws(Failure) {
        let statement = MemberStatement.wakeAll(passType)
        guard try await Failure.mapErrors({ try await self.loop.database.write(statement).first() }) else {
            throw Failure(.notFound)
        }
    }
}

/// The serial number of a pass: a random UUID in capitals.
enum Serial {
    static func random(_ source: any RandomSource) -> String {
        UUIDBytes(version4: source).description.uppercased()
    }
}

/// Which members are listed.
struct MemberQuery {
    /// By what they are found.
    enum Filter {
        case all
        /// With a pass in a state.
        case state(String)
        /// Whose names begin with a text, whatever the case.
        case name(String)
        /// The one that the shop knows by a name of its own.
        case externalID(String)
    }

    var filter = Filter.all
    /// Those behind a member.
    var after: UUIDBytes?
}

extension WalletPart {
    /// Members in the order of their ids.
    func members(_ query: MemberQuery, limit: Int) async throws(Failure) -> [ListedMember] {
        let (after, limit) = (query.after ?? UUIDBytes(high: 0, low: 0), Int32(clamping: limit))
        let call =
            switch query.filter {
            case .all: MemberStatement.page(after, limit)
            case .state(let state): MemberStatement.pageByState(after, limit, state)
            case .name(let name): MemberStatement.pageByName(after, limit, name)
            case .externalID(let id): MemberStatement.byExternalID(id)
            }
        return try await Failure.mapErrors { try await self.loop.database.read(call).all() }
    }
}
