import Cryptography
import Primitives
import SimulatorCore
import StrictJSON

// The form post that the button makes: everything in it is checked before the buyer sees a page.

extension AmazonPayModel {
    mutating func startCheckout(_ page: PageRequest) throws(HostedError) -> SimulatorAnswer {
        let language = page.parameters["checkoutLanguage"].map(HostedLanguage.init(checkoutLanguage:)) ?? page.language
        do {
            let caller = try self.caller(page)
            try checkOrigin(page, caller.merchant)
            let visit = pages.open(caller, language, try purpose(page, caller))
            return redirectToSecondHost(visit, page.request) ?? go(to: .signIn, visit, setsCookieOn: page.request)
        } catch {
            return error.answer(language)
        }
    }

    /// Merchant, key and environment of the button.
    private func caller(_ page: PageRequest) throws(HostedError) -> Caller {
        let merchantID = try demand("merchantId", page)
        guard let merchant = configuration.merchants.first(where: { $0.id == merchantID }) else {
            throw HostedError(.unknownMerchant, [("merchantId", merchantID)])
        }
        guard merchant.isActive else { throw HostedError(.invalidAccountStatus, [("merchantId", merchantID)]) }
        let keyID = try demand("publicKeyId", page)
        guard let key = merchant.publicKeys.first(where: { $0.id == keyID && $0.isEnabled }) else {
            throw HostedError(.unknownKey, [("publicKeyId", keyID)])
        }
        guard try demand("ledgerCurrency", page) == merchant.ledgerCurrency else {
            throw HostedError(.currencyMismatch, [("ledgerCurrency", merchant.ledgerCurrency)])
        }
        let isSandbox = page.parameters["sandbox"] == "true"
        try gate.checkButton(page.parameters, key, mode: switches.signature)
        return Caller(merchant: merchant, environment: key.environment ?? (isSandbox ? .sandbox : .live))
    }

    /// What the button is for.
    private func purpose(_ page: PageRequest, _ caller: Caller) throws(HostedError) -> HostedVisit.Purpose {
        let productType = page.parameters["productType"] ?? "PayAndShip"
        let body = try payload(page)
        if productType == "SignIn" { return .signIn(try signInDraft(body, caller)) }
        guard let product = SimulatedSession.ProductType(rawValue: productType) else {
            throw HostedError(.invalidParameterValue, [("productType", productType)])
        }
        return .checkout(try draft(body, product, caller))
    }

    private func payload(_ page: PageRequest) throws(HostedError) -> JSONValue {
        let payload = try demand("payloadJSON", page)
        let body: JSONValue
        do {
            body = try JSONParser.parse(Array(payload.utf8))
        } catch {
            throw HostedError(.invalidRequestFormat, [("message", "payloadJSON is not valid JSON.")])
        }
        guard case .object = body else {
            throw HostedError(.invalidRequestFormat, [("message", "payloadJSON is not an object.")])
        }
        return body
    }

    private func signInDraft(_ body: JSONValue, _ caller: Caller) throws(HostedError) -> SignInDraft {
        do {
            try APIError.check(body, Schemas.signIn)
        } catch {
            throw HostedError(error)
        }
        let draft = SignInDraft(body)
        guard caller.merchant.storeIDs.contains(draft.storeID) else {
            throw HostedError(
                .invalidParameterValue,
                [("message", "storeId does not belong to the merchant account.")]
            )
        }
        return draft
    }

    /// What the signed payload asks for.
    private func draft(
        _ body: JSONValue,
        _ product: SimulatedSession.ProductType,
        _ caller: Caller
    ) throws(HostedError) -> SessionDraft {
        do throws(APIError) {
            try APIError.check(body, Schemas.button)
            let draft = SessionDraft(body, productType: product)
            try SessionDraft.checkCombinations(draft, caller.merchant)
            try engine.check(draft.payment, for: caller)
            return draft
        } catch {
            throw HostedError(error)
        }
    }

    /// The page that shows the button stands on a domain of the merchant; this machine always does.
    ///
    /// A browser sends Origin with the form; without one there is no browser, and curl is welcome.
    private func checkOrigin(_ page: PageRequest, _ merchant: Merchant) throws(HostedError) {
        let told = page.request.first("origin").flatMap { $0 == "null" ? nil : $0 }
        guard let origin = told ?? page.request.first("referer") ?? page.parameters["origin"] else { return }
        guard let url = WebURL(origin.isEmpty ? "-" : origin), url.isLocal || merchant.allowedDomains.contains(url.host)
        else { throw HostedError(.domainNotAllowed, [("origin", origin)]) }
    }

    private func demand(_ name: String, _ page: PageRequest) throws(HostedError) -> String {
        guard let value = page.parameters[name], !value.isEmpty else {
            throw HostedError(.missingParameterValue, [("message", "\(name) is missing.")])
        }
        return value
    }
}
