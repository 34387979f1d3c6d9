import StrictJSON

/// What a create payload says, read into types.
struct SessionDraft: Sendable {
    var terms: CheckoutTerms
    var urls = ReturnURLs()
    var payment = PaymentDetails()
    var metadata = MerchantMetadata()
    var extras = SessionExtras()
}

/// What is fixed when a session is created.
struct CheckoutTerms: Sendable, Codable {
    enum PermissionType: String, Sendable, Codable {
        case oneTime = "OneTime"
        case recurring = "Recurring"
        case paymentMethodOnFile = "PaymentMethodOnFile"
    }

    let storeID: String
    let productType: SimulatedSession.ProductType
    let permissionType: PermissionType
    let scopes: Set<SimulatedSession.Scope>
    let delivery: DeliveryRules
    /// The address that the merchant has collected; only together with `processesOrder`.
    let mergedAddress: PostalAddress?
    /// Whether there is no review page: the additional payment button.
    let processesOrder: Bool
    /// `paymentMethodOnFileMetadata` as it came.
    let paymentMethodOnFile: JSONValue?
}

/// Where the browser goes from the hosted pages; every one of them was signed by the merchant.
struct ReturnURLs: Sendable, Equatable, Codable {
    var review: String?
    var result: String?
    var cancel: String?
    var error: String?
}

/// What is paid and how.
struct PaymentDetails: Sendable, Equatable, Codable {
    enum Intent: String, Sendable, Codable {
        case confirm = "Confirm"
        case authorize = "Authorize"
        case authorizeWithCapture = "AuthorizeWithCapture"
    }

    var intent: Intent?
    var canHandlePendingAuthorization = false
    var chargeAmount: Price?
    var totalOrderAmount: Price?
    var estimateOrderTotal: Price?
    var presentmentCurrency: Currency?
    var softDescriptor: String?
    var allowOvercharge: Bool?
    var extendExpiration: Bool?
}

/// What the merchant writes on the order.
struct MerchantMetadata: Sendable, Equatable, Codable {
    var referenceID: String?
    var storeName: String?
    var noteToBuyer: String?
    var customInformation: String?

    var json: JSONValue {
        [
            "merchantReferenceId": JSONValue(referenceID), "merchantStoreName": JSONValue(storeName),
            "noteToBuyer": JSONValue(noteToBuyer), "customInformation": JSONValue(customInformation),
        ]
    }
}

/// Members that are kept and given back.
struct SessionExtras: Sendable, Equatable, Codable {
    var recurring: JSONValue?
    /// `multiAddressesCheckoutMetadata` as it came.
    var multiAddress: JSONValue?
    var supplementaryData: String?
    var platformID: String?
    var providerReferenceID: String?
}
