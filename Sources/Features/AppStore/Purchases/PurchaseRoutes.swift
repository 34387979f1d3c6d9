import Accounts
import AppStoreTransactions
import EventIO
import HTTPCore
import Operations
import Postgres
import Primitives
import ServerCore
package import ServiceAPI
import StrictJSON
import Web

extension AppStorePart: ServiceRouted {
    /// What apps ask for their own account, and what the merchant's programs ask for any.
    package static let serviceRoutes = appRoutes + programRoutes + lookupRoutes

    private static let appRoutes = [
        ServiceRoute<AppStorePart>(.submitPurchase) { call throws(Failure) in try await call.part.submit(call) },
        ServiceRoute(.readBalance) { call throws(Failure) in try await call.part.balance(call) },
        ServiceRoute(.spendUnits) { call throws(Failure) in try await call.part.change(call, .spend) },
        ServiceRoute(.readEntitlements) { call throws(Failure) in try await call.part.entitlements(call) },
        ServiceRoute(.readCustomer) { call throws(Failure) in try await call.part.customer(call) },
        ServiceRoute(.setConsent) { call throws(Failure) in try await call.part.consent(call) },
        ServiceRoute(.signOffer) { call throws(Failure) in try await call.part.offer(call) },
    ]

    private static let programRoutes = [
        ServiceRoute<AppStorePart>(.submitAccountPurchase) { call throws(Failure) in try await call.part.submit(call) },
        ServiceRoute(.readAccountBalance) { call throws(Failure) in try await call.part.balance(call) },
        ServiceRoute(.spendAccountUnits) { call throws(Failure) in try await call.part.change(call, .spend) },
        ServiceRoute(.correctAccountUnits) { call throws(Failure) in try await call.part.change(call, .correction) },
        ServiceRoute(.readAccountEntitlements) { call throws(Failure) in try await call.part.entitlements(call) },
        ServiceRoute(.readAccountCustomer) { call throws(Failure) in try await call.part.customer(call) },
        ServiceRoute(.setAccountCustomer) { call throws(Failure) in try await call.part.setCustomer(call) },
        ServiceRoute(.setAccountConsent) { call throws(Failure) in try await call.part.consent(call) },
        ServiceRoute(.signAccountOffer) { call throws(Failure) in try await call.part.offer(call) },
        ServiceRoute(.listAccountPurchases) { call throws(Failure) in try await call.part.purchases(call) },
        ServiceRoute(.listAccountEntries) { call throws(Failure) in try await call.part.entries(call) },
    ]

    private typealias Call = ServiceCall<AppStorePart>

    private func submit(_ call: Call) async throws(Failure) -> ServiceAnswer {
        var body = try call.body()
        let (evidence, device) = try Failure.reading { () throws(JSONRefusal) in
            let evidence = try Submission.Evidence.read(&body)
            let device = try AppStorePart.device(&body)
            try body.end()
            return (evidence, device)
        }
        guard let evidence else { throw Submission.Evidence.missing }
        let submission = Submission(
            evidence: evidence,
            device: device,
            account: try call.account,
            isOfApp: call.isOfApp
        )
        return ServiceAnswer(.ok, try await submit(submission, at: call.now))
    }

    private static func device(_ body: inout JSONReader) throws(JSONRefusal) -> UUIDBytes? {
        let name = "deviceVerificationId"
        guard let text = try body.optionalText(name) else { return nil }
        guard let id = UUIDBytes(text) else { throw body.refusal(name, .notA("a UUID")) }
        return id
    }

    private func balance(_ call: Call) async throws(Failure) -> ServiceAnswer {
        let environment = try self.environment(try call.query(["environment"]))
        return ServiceAnswer(.ok, bytes: try await balance(of: try call.account, in: environment))
    }

    private func change(_ call: Call, _ kind: LedgerOrder.Kind) async throws(Failure) -> ServiceAnswer {
        let order = try self.order(call, kind)
        let claim = try call.claim()
        guard let answer = try await change(order, claim) else { return try await call.replay(of: claim) }
        return ServiceAnswer(.ok, bytes: answer)
    }

    private func order(_ call: Call, _ kind: LedgerOrder.Kind) throws(Failure) -> LedgerOrder {
        var body = try call.body()
        let (units, reference, word) = try Failure.reading { () throws(JSONRefusal) in
            let units = try body.integer("units")
            let range =
                kind == .spend ? 1...LedgerOrder.greatestUnits : -LedgerOrder.greatestUnits...LedgerOrder.greatestUnits
            guard range.contains(units), units != 0 else {
                let besides = kind == .spend ? "" : ", and not 0"
                throw body.refusal(
                    "units",
                    .notA("a whole number from \(range.lowerBound) to \(range.upperBound)\(besides)")
                )
            }
            let reference = try body.optionalText("reference")
            let word = try body.optionalText("environment")
            try body.end()
            return (Int64(units), reference, word)
        }
        return LedgerOrder(
            account: try call.account,
            environment: try environment(named: word),
            kind: kind,
            units: kind == .spend ? -units : units,
            reference: try Failure.cleaned(optional: reference, "reference", LedgerOrder.longestReference)
        )
    }

    private func entitlements(_ call: Call) async throws(Failure) -> ServiceAnswer {
        let environment = try self.environment(try call.query(["environment"]))
        let list = try await entitlements(of: try call.account, in: environment)
        if list == Array("[]".utf8) { try await expectAccount(call, environment) }
        return ServiceAnswer(
            .ok,
            bytes: Array(#"{"object":"appStoreEntitlements","data":"#.utf8) + list + Array("}".utf8)
        )
    }

    private func customer(_ call: Call) async throws(Failure) -> ServiceAnswer {
        ServiceAnswer(.ok, try await token(of: try call.account, wanted: nil))
    }

    private func setCustomer(_ call: Call) async throws(Failure) -> ServiceAnswer {
        var body = try call.body()
        let wanted = try Failure.reading { () throws(JSONRefusal) in
            guard let token = UUIDBytes(try body.text("appAccountToken")) else {
                throw body.refusal("appAccountToken", .notA("a UUID"))
            }
            try body.end()
            return token
        }
        return ServiceAnswer(.ok, try await token(of: try call.account, wanted: wanted))
    }

    private func consent(_ call: Call) async throws(Failure) -> ServiceAnswer {
        var body = try call.body()
        let isGiven = try Failure.reading { () throws(JSONRefusal) in
            guard let flag = try body.optionalFlag("consented") else { throw body.refusal("consented", .missing) }
            try body.end()
            return flag
        }
        return ServiceAnswer(.ok, try await setConsent(try call.account, isGiven))
    }

    /// Tells an account that has nothing from one that there is not; the account of a token is there.
    ///
    /// - Throws: `not_found`.
    private func expectAccount(_ call: Call, _ environment: AppStoreEnvironment) async throws(Failure) {
        if !call.isOfApp { _ = try await balance(of: try call.account, in: environment) }
    }

    private func purchases(_ call: Call) async throws(Failure) -> ServiceAnswer {
        let query = try call.query(ListForm.parameters + ["environment"])
        let after = try ListForm.after(query) { UUIDBytes($0) }
        let limit = try ListForm.limit(query)
        let environment = try environment(query)
        let statement = PurchaseStatement.purchases(try call.account, environment.rawValue, after, limit + 1)
        let found = try await Failure.mapErrors { try await loop.database.read(statement).all() }
        if found.isEmpty { try await expectAccount(call, environment) }
        let page = found.prefix(limit)
        let content = ListForm.content(
            page.map(\.json),
            next: (page.last?.id ?? after)?.description,
            hasMore: found.count > limit
        )
        return ServiceAnswer(.ok, bytes: content)
    }

    private func entries(_ call: Call) async throws(Failure) -> ServiceAnswer {
        let query = try call.query(ListForm.parameters + ["environment"])
        let after = try ListForm.after(query) {
            DecimalDigits.parse($0.utf8Span.span, limit: Int.max / 2).map(Int64.init)
        }
        let limit = try ListForm.limit(query)
        let environment = try environment(query)
        let statement = PurchaseStatement.entries(try call.account, environment.rawValue, after ?? .max, limit + 1)
        let found = try await Failure.mapErrors { try await loop.database.read(statement).all() }
        if found.isEmpty { try await expectAccount(call, environment) }
        let page = found.prefix(limit)
        let content = ListForm.content(
            page.map(\.json),
            next: (page.last?.sequence ?? after).map { String($0) },
            hasMore: found.count > limit
        )
        return ServiceAnswer(.ok, bytes: content)
    }

    private func environment(_ query: [OctetText: String]) throws(Failure) -> AppStoreEnvironment {
        try environment(named: query["environment"])
    }

    /// The environment of a name; that of the shop where there is none.
    func environment(named name: String?) throws(Failure) -> AppStoreEnvironment {
        guard let name else {
            guard let usual = process.verifiers.environments.first else { throw environmentOff() }
            return usual
        }
        guard let found = process.verifiers.environment(name) else {
            throw environmentOff(field: "environment")
        }
        return found
    }

    /// The refusal of an environment whose purchases are not taken.
    func environmentOff(field: String? = nil) -> Failure {
        let names = process.verifiers.environments.map(\.rawValue).joined(separator: ", ")
        return Failure(.environmentOff, message: "Purchases are taken of these environments: \(names).", field: field)
    }
}

/// A purchase that an account shows.
struct Submission {
    /// What it shows.
    enum Evidence {
        /// A signed text, as StoreKit has given it.
        case text(String)
        /// An id, by which Apple's server is asked for the text.
        case id(String)
        /// A receipt of the time before signed texts; an id is taken from it.
        case receipt(String)

        /// The refusal of a content with none of them.
        static var missing: Failure {
            Failure(
                field: "signedTransaction",
                #"is missing; "transactionId" or "receipt" may stand in its place"#
            )
        }

        /// The only one; `nil` where there is none.
        static func read(_ body: inout JSONReader) throws(JSONRefusal) -> Evidence? {
            var evidence: Evidence?
            let kinds: [(String, (String) -> Evidence)] = [
                ("signedTransaction", Evidence.text), ("transactionId", Evidence.id), ("receipt", Evidence.receipt),
            ]
            for (name, make) in kinds {
                guard let text = try body.optionalText(name) else { continue }
                if evidence != nil { throw body.refusal(name, .notA("needed beside another proof of the purchase")) }
                evidence = make(text)
            }
            return evidence
        }
    }

    let evidence: Evidence
    /// What the app says its device is called; `nil` where it does not say.
    let device: UUIDBytes?
    let account: UUIDBytes
    /// Whether an app shows it, which may not guess ids.
    let isOfApp: Bool
}
