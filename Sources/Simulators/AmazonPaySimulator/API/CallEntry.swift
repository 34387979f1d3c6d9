import Primitives
import SimulatorCore
package import StrictJSON

/// One API call as it was answered.
package struct CallEntry: CallLogEntry {
    /// Counts from one.
    package var number = 0
    var time = WallTime(seconds: 0)
    let operation: String
    let method: String
    let path: String
    var merchantID: String?
    var subject = CallSubject()
    var idempotencyKey: String?
    var requestID = ""
    var status = 0
    var reason: String?
    var isReplayed = false
    var fault: String?
    var isDelivered = true

    init(operation: String, method: String, path: String) {
        self.operation = operation
        self.method = method
        self.path = String(path.prefix(200))
    }

    /// What the log shows.
    package var json: JSONValue {
        [
            "number": JSONValue(number), "time": .string(CalendarDate(time).extendedText),
            "operation": .string(operation), "method": .string(method), "path": .string(path),
            "merchantId": JSONValue(merchantID), "checkoutSessionId": JSONValue(subject.sessionID),
            "chargePermissionId": JSONValue(subject.permissionID), "chargeId": JSONValue(subject.chargeID),
            "refundId": JSONValue(subject.refundID), "amount": JSONValue(subject.amount),
            "idempotencyKey": JSONValue(idempotencyKey), "requestId": .string(requestID), "status": JSONValue(status),
            "reasonCode": JSONValue(reason), "replayed": .bool(isReplayed), "effective": .bool(subject.isEffective),
            "fault": JSONValue(fault), "delivered": .bool(isDelivered),
        ]
    }
}

/// What a call was about, and whether it changed anything.
struct CallSubject: Sendable, Equatable {
    var sessionID: String?
    var permissionID: String?
    var chargeID: String?
    var refundID: String?
    var amount: Price?
    /// Whether this very call changed an object; a replay and a refusal do not.
    var isEffective = false
}
