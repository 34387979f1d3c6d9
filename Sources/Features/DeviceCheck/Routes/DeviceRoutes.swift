import DeviceAttestation
import EventIO
import HTTPCore
import Operations
import Postgres
import Primitives
import ServerCore
package import ServiceAPI
import StrictJSON
import Web

extension DeviceCheckPart: ServiceRouted {
    /// What apps ask for their own account, and what the merchant's programs ask for any.
    package static let serviceRoutes = appRoutes + programRoutes + attestRoutes

    /// Those of the bits where Apple is asked about them, and those of keys where they are taken.
    package var servedRoutes: [ServiceRoute<DeviceCheckPart>] {
        (service == nil ? [] : Self.appRoutes + Self.programRoutes) + (process.attest == nil ? [] : Self.attestRoutes)
    }

    private static let appRoutes = [
        ServiceRoute<DeviceCheckPart>(.checkDevice) { call throws(Failure) in try await call.part.check(call) },
        ServiceRoute(.markDevice) { call throws(Failure) in try await call.part.mark(call) },
        ServiceRoute(.claimForDevice) { call throws(Failure) in try await call.part.claim(call) },
        ServiceRoute(.validateDevice) { call throws(Failure) in try await call.part.validate(call) },
        ServiceRoute(.resetDevice) { call throws(Failure) in try await call.part.reset(call) },
        ServiceRoute(.releaseDevice) { call throws(Failure) in try await call.part.release(call) },
    ]

    private static let programRoutes = [
        ServiceRoute<DeviceCheckPart>(.checkAccountDevice) { call throws(Failure) in try await call.part.check(call) },
        ServiceRoute(.markAccountDevice) { call throws(Failure) in try await call.part.mark(call) },
        ServiceRoute(.claimForAccountDevice) { call throws(Failure) in try await call.part.claim(call) },
        ServiceRoute(.validateAccountDevice) { call throws(Failure) in try await call.part.validate(call) },
        ServiceRoute(.makeResetCode) { call throws(Failure) in try await call.part.makeCode(call) },
        ServiceRoute(.listDeviceHistory) { call throws(Failure) in try await call.part.history(call) },
    ]

    private typealias Call = ServiceCall<DeviceCheckPart>

    private func check(_ call: Call) async throws(Failure) -> ServiceAnswer {
        let (question, purpose) = try question(call, "purpose")
        return ServiceAnswer(.ok, try await check(question, for: purpose))
    }

    private func claim(_ call: Call) async throws(Failure) -> ServiceAnswer {
        let (question, purpose) = try question(call, "purpose")
        return ServiceAnswer(.ok, try await claim(question, for: purpose))
    }

    private func mark(_ call: Call) async throws(Failure) -> ServiceAnswer {
        let (question, event) = try question(call, "event", needsProof: false)
        return ServiceAnswer(.ok, try await mark(question, as: event))
    }

    private func validate(_ call: Call) async throws(Failure) -> ServiceAnswer {
        ServiceAnswer(.ok, try await validate(try question(call, nil).question))
    }

    private func reset(_ call: Call) async throws(Failure) -> ServiceAnswer {
        let (question, code) = try question(call, "code")
        return ServiceAnswer(.ok, try await reset(question, code: code))
    }

    private func release(_ call: Call) async throws(Failure) -> ServiceAnswer {
        ServiceAnswer(.ok, try await release(try question(call, nil).question))
    }

    private func makeCode(_ call: Call) async throws(Failure) -> ServiceAnswer {
        var body = try call.body()
        let (name, reason) = try Failure.reading { () throws(JSONRefusal) in
            let (name, reason) = (try body.text("operator"), try body.text("reason"))
            try body.end()
            return (name, reason)
        }
        // As every record of what a person decides.
        guard OperatorTrail(name: name, reason: reason) != nil else {
            throw Failure(.invalidRequest, message: "A name of 1 to 100 and a text of 1 to 200 printable characters.")
        }
        return ServiceAnswer(.ok, try await resetCode(for: try call.account, by: name, reason: reason))
    }

    /// What a request says of a device, and the word in one more member.
    private func question(
        _ call: Call,
        _ member: String?,
        needsProof: Bool = true
    ) throws(Failure) -> (question: DeviceQuestion, word: String) {
        let account = try call.account
        try limit(call, account)
        var body = try call.body()
        let said = try Failure.reading { () throws(JSONRefusal) in
            let word = try member.map { name throws(JSONRefusal) in try body.text(name) } ?? ""
            let (token, unsupported) = (try body.optionalText("deviceToken"), try body.optionalText("unsupported"))
            let environment = try DeviceCheckPart.environment(&body)
            let checkID = try body.optionalText("checkId")
            try body.end()
            return (word, token, unsupported, environment, checkID)
        }
        let checkID = try said.4.map { text throws(Failure) in
            guard let id = UUIDBytes(text) else { throw Failure(.invalidRequest, field: "checkId") }
            return id
        }
        let question = DeviceQuestion(
            account: account,
            proof: try DeviceQuestion.Proof(
                token: said.1,
                unsupported: said.2,
                bypass: process.settings.bypass,
                isNeeded: needsProof
            ),
            environment: said.3 ?? process.settings.environment,
            checkID: checkID,
            now: call.now
        )
        return (question, said.0)
    }

    private static func environment(_ body: inout JSONReader) throws(JSONRefusal) -> DeviceEnvironment? {
        guard let word = try body.optionalText("environment") else { return nil }
        guard let found = DeviceEnvironment.allCases.first(where: { $0.rawValue.octets == word.octets }) else {
            throw body.refusal("environment", .notA("production or development"))
        }
        return found
    }

    /// Each request is a call at Apple's, which counts those of the whole team.
    private func limit(_ call: Call, _ account: UUIDBytes) throws(Failure) {
        let now = loop.reactor.now
        if call.isOfApp { try process.addresses.take(call.caller.keys, at: now) }
        try process.accounts.take(account.low, at: now)
    }

    private func history(_ call: Call) async throws(Failure) -> ServiceAnswer {
        let query = try call.query(ListForm.parameters)
        let after = try ListForm.after(query) { UUIDBytes($0) }
        let limit = try ListForm.limit(query)
        let statement = DeviceStatement.history(try call.account, after, limit + 1)
        let found = try await Failure.mapErrors { try await loop.database.read(statement).all() }
        let page = found.prefix(limit)
        let content = ListForm.content(
            page.map(\.json),
            next: (page.last?.id ?? after)?.description,
            hasMore: found.count > limit
        )
        return ServiceAnswer(.ok, bytes: content)
    }
}
