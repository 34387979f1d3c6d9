import Primitives
import SimulatorCore
import StrictJSON

/// What a sign-in payload asks for.
struct SignInDraft: Sendable {
    let storeID: String
    let scopes: Set<SimulatedSession.Scope>
    let returnURL: String
    let cancelURL: String?

    /// What a payload says.
    ///
    /// - Parameter body: Passed `Schemas.signIn`.
    init(_ body: JSONValue) {
        storeID = body["storeId"]?.text ?? ""
        let named = body["signInScopes"]?.elements.compactMap { $0.text.flatMap(SimulatedSession.Scope.init) }
        scopes = named.map { Set($0) } ?? SimulatedSession.Scope.standard
        returnURL = body["signInReturnUrl"]?.text ?? ""
        cancelURL = body["signInCancelUrl"]?.text
    }
}

/// A buyer who has signed in at a merchant without buying; the merchant holds the token for it.
struct SignIn: Sendable, Codable {
    let merchantID: String
    let environment: ReleaseEnvironment
    let buyer: TestBuyer
    let scopes: Set<SimulatedSession.Scope>
}

extension MoneyEngine {
    /// Notes that a buyer has signed in.
    ///
    /// - Returns: The token that the merchant reads the buyer with, for a day.
    mutating func signIn(_ buyer: TestBuyer, _ scopes: Set<SimulatedSession.Scope>, for caller: Caller) -> String {
        let token = mint.token() + mint.token()
        if let oldest = signInOrder.add(token) { signIns[oldest] = nil }
        signIns[token] = SignIn(
            merchantID: caller.merchant.id,
            environment: caller.environment,
            buyer: buyer,
            scopes: scopes
        )
        plan(.signInIsForgotten(token), after: EngineRules.signInLife)
        return token
    }

    func signIn(_ token: String, for caller: Caller) throws(APIError) -> SignIn {
        guard let signIn = signIns[token], caller.owns(signIn.merchantID, signIn.environment) else {
            // The token itself is not repeated: it is as good as the buyer's data.
            throw .notFound("buyers/…")
        }
        return signIn
    }
}

extension SignIn {
    /// The buyer as far as the scopes allow.
    var json: JSONValue {
        let home = buyer.addresses.first?.address
        func shared(_ scope: SimulatedSession.Scope, _ value: JSONValue) -> JSONValue {
            scopes.contains(scope) ? value : .null
        }
        let showsPostalCode = scopes.contains(.postalCode) || scopes.contains(.shippingAddress)
        return [
            "buyerId": .string(buyer.id), "name": shared(.name, .string(buyer.name)),
            "email": shared(.email, .string(buyer.email)),
            "postalCode": showsPostalCode ? JSONValue(home?.postalCode) : .null,
            "countryCode": showsPostalCode ? JSONValue(home?.countryCode) : .null,
            "phoneNumber": shared(.phoneNumber, .string(buyer.phoneNumber)),
            "shippingAddress": shared(.shippingAddress, home?.json ?? .null),
            "billingAddress": shared(.billingAddress, home?.json ?? .null), "primeMembershipTypes": nil,
        ]
    }
}
