/// Objects of the service as text, with the members that the client looks at.
enum ObjectBodies {
    static let permission = "S03-1234567-7654321"
    static let charge = permission + "-C012345"
    static let refund = permission + "-R012345"

    static func charge(
        _ state: String,
        amount: String = "28536",
        captured: String? = nil,
        reason: String? = nil,
        id: String = charge
    ) -> String {
        let status = #"{"state":"\#(state)","reasonCode":\#(quoted(reason))}"#
        return #"{"chargeId":"\#(id)","chargePermissionId":"\#(permission)","chargeAmount":\#(yen(amount)),"#
            + #""captureAmount":\#(captured.map(yen) ?? "null"),"statusDetails":\#(status)}"#
    }

    static func refund(
        _ state: String,
        amount: String = "1000",
        reason: String? = nil,
        charge: String = charge,
        id: String = refund
    ) -> String {
        let status = #"{"state":"\#(state)","reasonCode":\#(quoted(reason))}"#
        return
            #"{"refundId":"\#(id)","chargeId":"\#(charge)","refundAmount":\#(yen(amount)),"statusDetails":\#(status)}"#
    }

    static func permission(_ state: String, id: String = permission) -> String {
        #"{"chargePermissionId":"\#(id)","statusDetails":{"state":"\#(state)","reasons":null}}"#
    }

    private static func yen(_ amount: String) -> String {
        #"{"amount":"\#(amount)","currencyCode":"JPY"}"#
    }

    private static func quoted(_ text: String?) -> String {
        text.map { "\"\($0)\"" } ?? "null"
    }
}
