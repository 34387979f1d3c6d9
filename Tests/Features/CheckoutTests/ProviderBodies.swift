import Primitives

/// Checkout sessions as the provider tells them.
enum ProviderBodies {
    /// A session.
    ///
    /// - Parameters:
    ///   - state: `Open`, `Completed` or `Canceled`.
    ///   - reason: Why it is cancelled.
    ///   - mark: The webview session that is signed into it.
    ///   - line: First line of the address; `nil` for no address.
    ///   - redirect: Where the buyer is to be sent.
    ///   - information: `customInformation`.
    ///   - reference: The merchant's, in the place of the webview session.
    ///   - amount: In yen; `nil` for that of the crossing once it is completed, and none before.
    static func session(
        _ state: String = "Open",
        reason: String? = nil,
        mark: UUIDBytes? = nil,
        line: String? = "見本町1-1",
        redirect: String? = nil,
        information: String? = nil,
        reference: String? = nil,
        amount: Int? = nil
    ) -> String {
        let address = line.map {
            #"{"name":"見本 花子","postalCode":"100-0001","stateOrRegion":"東京都","addressLine1":"\#($0)","countryCode":"JP"}"#
        }
        let completed = state == "Completed"
        let sum = amount ?? (completed ? 27_956 : nil)
        let payment = sum.map { #"{"chargeAmount":{"amount":"\#($0)","currencyCode":"JPY"}}"# }
        return """
            {"checkoutSessionId":"\(Crossing.session)",
            "statusDetails":{"state":"\(state)","reasonCode":\(quoted(reason))},
            "merchantMetadata":{"merchantReferenceId":\(quoted(reference ?? mark?.description)),"customInformation":\(quoted(information))},
            "webCheckoutDetails":{"amazonPayRedirectUrl":\(quoted(redirect))},
            "buyer":{"name":"見本 花子","email":"buyer@example.test"},
            "shippingAddress":\(address ?? "null"),"paymentDetails":\(payment ?? "null"),
            "paymentPreferences":[{"paymentDescriptor":"Visa ****1111"}],
            "chargeId":\(completed ? #""S03-1234567-7654321-C012345""# : "null"),
            "chargePermissionId":\(completed ? #""S03-1234567-7654321""# : "null")}
            """
    }

    /// A refusal.
    static func refusal(_ reason: String) -> String { #"{"reasonCode":"\#(reason)","message":"Sample text."}"# }

    private static func quoted(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "null" }
}
