extension SessionDraft {
    /// Checks what a payload must hold for the way it is used.
    ///
    /// - Throws: `InvalidParameterValue`, `MissingParameterValue` or `InvalidParameterCombination`.
    static func checkCombinations(_ draft: SessionDraft, _ merchant: Merchant) throws(APIError) {
        guard merchant.storeIDs.contains(draft.terms.storeID) else {
            throw APIError(.invalidParameterValue, "storeId does not belong to the merchant account.")
        }
        guard draft.terms.delivery.isWellFormed else {
            throw APIError(
                .invalidParameterValue,
                "deliverySpecifications.addressRestrictions.restrictions is invalid."
            )
        }
        if draft.urls.error != nil {
            try demand(draft.urls.result, "webCheckoutDetails.checkoutResultReturnUrl")
            try demand(draft.urls.cancel, "webCheckoutDetails.checkoutCancelUrl")
        }
        guard draft.terms.processesOrder else {
            try demand(draft.urls.review, "webCheckoutDetails.checkoutReviewReturnUrl")
            guard draft.terms.mergedAddress == nil else {
                throw APIError(.invalidParameterCombination, "addressDetails needs the checkout mode ProcessOrder.")
            }
            return
        }
        try demand(draft.urls.result, "webCheckoutDetails.checkoutResultReturnUrl")
        try demand(draft.payment.intent, "paymentDetails.paymentIntent")
        if draft.payment.intent != .confirm { try demand(draft.payment.chargeAmount, "paymentDetails.chargeAmount") }
        switch draft.terms.productType {
        case .payOnly:
            guard draft.terms.mergedAddress == nil else {
                throw APIError(.invalidParameterCombination, "PayOnly does not take addressDetails.")
            }
        case .payAndShip, .payAndShipMultiAddress:
            let address = try demand(draft.terms.mergedAddress, "addressDetails")
            try demand(address.countryCode, "addressDetails.countryCode")
            guard address.countryCode == "JP" else { return }
            try demand(address.name, "addressDetails.name")
            try demand(address.lines.first, "addressDetails.addressLine1")
            try demand(address.stateOrRegion, "addressDetails.stateOrRegion")
            try demand(address.postalCode, "addressDetails.postalCode")
            try demand(address.phoneNumber, "addressDetails.phoneNumber")
        }
    }

    @discardableResult
    private static func demand<Value>(_ value: Value?, _ name: String) throws(APIError) -> Value {
        guard let value, (value as? String) != "" else {
            throw APIError(.missingParameterValue, "\(name) is required.")
        }
        return value
    }
}
