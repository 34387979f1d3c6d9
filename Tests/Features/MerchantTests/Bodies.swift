import Primitives
import SessionBroker

/// Contents of requests about sessions.
enum SessionBodies {
    /// A session of a site, with everything that it has to have; more members and a changed one where told.
    static func site(_ more: String = "", replacing old: String = "", with new: String = "") -> String {
        let text = """
            {"reference":"A-1001","client":"iosApp","currency":"JPY","lines":[{"id":"sku-1","name":"Sencha",\
            "unitPrice":\(Sample.yen(1_200)),"quantity":2}],"tax":\(Sample.yen(240)),\
            "postage":{"amount":\(Sample.yen(540))}\(more)}
            """
        return old.isEmpty ? text : text.replacing(old, with: new)
    }

    static let site = site()

    /// A session that an app starts by itself.
    static func mobile(_ more: String = "", of order: String = "") -> String {
        let links = ["result", "cancel", "error"].map { #""\#($0)Url":"https://app.example/\#($0)""# }
        return site(#","mobile":{\#(links.joined(separator: ","))\#(more)}\#(order)"#)
            .replacing("iosApp", with: "mobileApp")
    }

    /// The settings under which such a session is opened.
    static let mobileSettings = ["merchant.app_links": "https://app.example"]

    static let address = """
        {"name":"見本 花子","addressLine1":"見本町1-1","postalCode":"100-0001","countryCode":"JP",\
        "stateOrRegion":"東京都","phoneNumber":"0300000000"}
        """

    /// C of a session, in its form.
    static func ticket(_ id: UUIDBytes = Sample.id) -> String {
        "swc_" + Base64URL.encode(id.bytes + [UInt8](repeating: 7, count: 32))
    }

    /// P, in its form.
    static let proof = "swp_" + Base64URL.encode([UInt8](repeating: 9, count: 32))

    static func completion(
        ticket: String = ticket(),
        session: String = Sample.checkoutSession,
        proof: String = proof,
        _ more: String = ""
    ) -> String {
        #"{"returnTicket":"\#(ticket)","orderReferenceId":"\#(session)","appProof":"\#(proof)"\#(more)}"#
    }

    static func finalization(
        session: String = Sample.checkoutSession,
        proof: String = proof,
        _ more: String = ""
    ) -> String {
        #"{"checkoutSessionId":"\#(session)","appProof":"\#(proof)"\#(more)}"#
    }
}

/// What the provider answers about the objects of a payment.
enum ProviderBodies {
    static func charge(
        _ state: String,
        amount: Int = 3_180,
        captured: Int? = nil,
        refunded: Int? = nil,
        reason: String? = nil,
        id: String = Sample.charge
    ) -> String {
        let taken = captured ?? (state == "Captured" ? amount : nil)
        return """
            {"chargeId":"\(id)","chargePermissionId":"\(Sample.permission)","chargeAmount":\(Sample.yen(amount)),
            "captureAmount":\(taken.map(Sample.yen) ?? "null"),"refundedAmount":\(refunded.map(Sample.yen) ?? "null"),
            "statusDetails":\(status(state, reason)),"creationTimestamp":"20260921T141320Z"}
            """
    }

    static func refund(_ state: String, amount: Int, reason: String? = nil) -> String {
        """
        {"refundId":"\(Sample.refund)","chargeId":"\(Sample.charge)","refundAmount":\(Sample.yen(amount)),
        "statusDetails":\(status(state, reason)),"creationTimestamp":"20260921T141320Z"}
        """
    }

    static func permission(_ state: String, buyer: Bool = false) -> String {
        let details =
            buyer ? #""buyer":{"name":"見本 花子","email":"b@example.test"},"shippingAddress":{"name":"見本 花子"},"# : ""
        return """
            {"chargePermissionId":"\(Sample.permission)",\(details)
            "statusDetails":{"state":"\(state)","lastUpdatedTimestamp":"20260921T141320Z"}}
            """
    }

    /// A checkout session.
    static func session(
        _ state: String = "Open",
        mark: String? = Sample.session,
        amount: Int? = nil,
        reason: String? = nil,
        isNamed: Bool = true
    ) -> String {
        let isCompleted = state == "Completed"
        let sum = amount.map { #"{"chargeAmount":\#(Sample.yen($0))}"# }
        return """
            {"checkoutSessionId":"\(Sample.checkoutSession)",
            "statusDetails":{"state":"\(state)","reasonCode":\(quoted(reason))},
            "merchantMetadata":\(names(mark, isCompleted && isNamed)),"paymentDetails":\(sum ?? "null"),
            "buyer":{"name":"見本 花子","email":"b@example.test"},
            "chargeId":\(quoted(isCompleted ? Sample.charge : nil)),
            "chargePermissionId":\(quoted(isCompleted ? Sample.permission : nil))}
            """
    }

    /// Of a button's session its id alone; of one that was agreed to the merchant's reference, and the mark beside it.
    private static func names(_ mark: String?, _ isAgreed: Bool) -> String {
        guard isAgreed, let id = mark.flatMap({ UUIDBytes($0) }) else {
            return #"{"merchantReferenceId":\#(quoted(mark)),"customInformation":null}"#
        }
        return #"{"merchantReferenceId":"A-1001","customInformation":"\#(SessionMark(id))"}"#
    }

    static func refusal(_ reason: String) -> String { #"{"reasonCode":"\#(reason)","message":"Sample text."}"# }

    private static func status(_ state: String, _ reason: String?) -> String {
        #"{"state":"\#(state)","reasonCode":\#(quoted(reason)),"lastUpdatedTimestamp":"20260921T141320Z"}"#
    }

    private static func quoted(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "null" }
}
