import Primitives
import SimulatorCore
package import StrictJSON

/// A request to the API as it was answered.
package struct APIEntry: CallLogEntry {
    /// Its place in the log.
    package var number = 0
    let time: WallTime
    let operation: String
    let environment: String
    let method: String
    let path: String
    let query: String
    var status = 0
    var code: Int?
    var fault: String?

    package var json: JSONValue {
        [
            "number": JSONValue(number), "time": .string(CalendarDate(time).extendedText),
            "operation": .string(operation), "environment": .string(environment), "method": .string(method),
            "path": .string(path), "query": .string(query), "status": JSONValue(status),
            "errorCode": code.map { JSONValue($0) } ?? .null, "fault": JSONValue(fault),
        ]
    }
}
