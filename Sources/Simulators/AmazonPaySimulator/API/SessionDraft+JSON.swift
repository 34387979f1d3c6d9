import StrictJSON

// Reading of bodies that have passed their shape.

extension SessionDraft {
    /// What a create payload says.
    ///
    /// - Parameters:
    ///   - body: Passed `Schemas.createSession` or `Schemas.button`.
    init(_ body: JSONValue, productType: SimulatedSession.ProductType) {
        let scopes = body["scopes"]?.elements.compactMap { $0.text.flatMap(SimulatedSession.Scope.init) }
        terms = CheckoutTerms(
            storeID: body["storeId"]?.text ?? "",
            productType: productType,
            permissionType: body["chargePermissionType"]?.text.flatMap(CheckoutTerms.PermissionType.init) ?? .oneTime,
            scopes: scopes.map { Set($0) } ?? SimulatedSession.Scope.standard,
            delivery: DeliveryRules(body["deliverySpecifications"]),
            mergedAddress: body["addressDetails"].map(PostalAddress.init),
            processesOrder: body["webCheckoutDetails"]?["checkoutMode"] != nil,
            paymentMethodOnFile: body["paymentMethodOnFileMetadata"]
        )
        urls.apply(body["webCheckoutDetails"])
        payment.apply(body["paymentDetails"])
        metadata.apply(body["merchantMetadata"])
        extras.apply(body)
    }
}

extension SimulatedSession {
    /// Takes over what an update names; the rest stays.
    mutating func apply(_ body: JSONValue) {
        urls.apply(body["webCheckoutDetails"])
        payment.apply(body["paymentDetails"])
        metadata.apply(body["merchantMetadata"])
        extras.apply(body)
    }
}

extension ReturnURLs {
    mutating func apply(_ body: JSONValue?) {
        review = ReturnURLs.url(body?["checkoutReviewReturnUrl"]) ?? review
        result = ReturnURLs.url(body?["checkoutResultReturnUrl"]) ?? result
        cancel = ReturnURLs.url(body?["checkoutCancelUrl"]) ?? cancel
        error = ReturnURLs.url(body?["checkoutErrorUrl"]) ?? error
    }

    private static func url(_ value: JSONValue?) -> String? {
        guard let text = value?.text, !text.isEmpty else { return nil }
        return text
    }
}

extension PaymentDetails {
    mutating func apply(_ body: JSONValue?) {
        guard let body else { return }
        intent = body["paymentIntent"]?.text.flatMap(Intent.init) ?? intent
        canHandlePendingAuthorization = body["canHandlePendingAuthorization"]?.flag ?? canHandlePendingAuthorization
        chargeAmount = Price(body["chargeAmount"]) ?? chargeAmount
        totalOrderAmount = Price(body["totalOrderAmount"]) ?? totalOrderAmount
        estimateOrderTotal = Price(body["estimateOrderTotal"]) ?? estimateOrderTotal
        presentmentCurrency = body["presentmentCurrency"]?.text.flatMap(Currency.init) ?? presentmentCurrency
        softDescriptor = body["softDescriptor"]?.text ?? softDescriptor
        allowOvercharge = body["allowOvercharge"]?.flag ?? allowOvercharge
        extendExpiration = body["extendExpiration"]?.flag ?? extendExpiration
    }
}

extension MerchantMetadata {
    mutating func apply(_ body: JSONValue?) {
        referenceID = body?["merchantReferenceId"]?.text ?? referenceID
        storeName = body?["merchantStoreName"]?.text ?? storeName
        noteToBuyer = body?["noteToBuyer"]?.text ?? noteToBuyer
        customInformation = body?["customInformation"]?.text ?? customInformation
    }
}

extension SessionExtras {
    mutating func apply(_ body: JSONValue) {
        recurring = body["recurringMetadata"] ?? recurring
        multiAddress = body["multiAddressesCheckoutMetadata"] ?? multiAddress
        supplementaryData = body["supplementaryData"]?.text ?? supplementaryData
        platformID = body["platformId"]?.text ?? platformID
        providerReferenceID = body["providerMetadata"]?["providerReferenceId"]?.text ?? providerReferenceID
    }
}

extension DeliveryRules {
    init(_ body: JSONValue?) {
        guard let body else { return }
        json = body
        let special = body["specialRestrictions"]?.elements ?? []
        refusesPostOfficeBoxes = special.contains("RestrictPOBoxes")
        guard let restrictions = body["addressRestrictions"] else { return }
        namesAllowedRegions = restrictions["type"]?.text == "Allowed"
        var regions: [String: Region] = [:]
        for country in restrictions["restrictions"]?.members ?? [] {
            regions[country.name] = Region(
                statesOrRegions: country.value["statesOrRegions"]?.elements.compactMap(\.text) ?? [],
                postalCodes: country.value["zipCodes"]?.elements.compactMap(\.text) ?? []
            )
        }
        self.regions = regions
    }
}

extension PostalAddress {
    /// The address of a payload; what is absent becomes empty.
    init(_ body: JSONValue) {
        let lines = ["addressLine1", "addressLine2", "addressLine3"].compactMap { body[$0]?.text }
        self.init(
            name: body["name"]?.text ?? "",
            lines: lines.filter { !$0.isEmpty },
            city: body["city"]?.text,
            stateOrRegion: body["stateOrRegion"]?.text,
            postal: (body["countryCode"]?.text ?? "", body["postalCode"]?.text ?? ""),
            phoneNumber: body["phoneNumber"]?.text ?? ""
        )
    }
}
