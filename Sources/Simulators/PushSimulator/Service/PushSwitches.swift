import SimulatorCore
import StrictJSON

/// How the service treats connections, as a tester wants it.
struct PushSwitches: Sendable {
    /// A GOAWAY that is to come.
    struct GoAway: Sendable {
        /// After so many requests on any connection.
        var requests: Int
        /// The last stream that is taken; `nil` for the one of the last request.
        var last: Int?
        var code: Int
        /// In its debug data; `nil` for none.
        var reason: String?
    }

    /// How many streams a client may have open.
    var streams = 1_000
    /// Likewise on a connection without a certificate, before its first good provider token.
    var streamsBeforeToken = 1
    var acceptsUnknownTokens = false
    /// Whether connections are refused.
    var refuses = false
    var goAway: GoAway?
    /// The connection is reset in place of the answer after so many requests.
    var dropAfter: Int?

    /// Takes over what a tester names.
    ///
    /// - Throws: 400, naming what is wrong.
    mutating func apply(_ body: ControlBody) throws(ControlError) {
        try body.check([
            .init("streams", .count), .init("streamsBeforeToken", .count), .init("acceptsUnknownTokens", .flag),
            .init("refusesConnections", .flag), .init("dropAfter", .count),
            .init(
                "goAway",
                .object([
                    .init("afterRequests", .count, isRequired: true), .init("lastStream", .count),
                    .init("code", .count),
                    .init("reason", .text(200)),
                ])
            ),
        ])
        let value = body.value
        streams = min(value["streams"]?.integer ?? streams, 100_000)
        streamsBeforeToken = min(value["streamsBeforeToken"]?.integer ?? streamsBeforeToken, 100_000)
        acceptsUnknownTokens = value["acceptsUnknownTokens"]?.flag ?? acceptsUnknownTokens
        refuses = value["refusesConnections"]?.flag ?? refuses
        if let count = value["dropAfter"]?.integer { dropAfter = count > 0 ? count : nil }
        if let wanted = value["goAway"], let count = wanted["afterRequests"]?.integer {
            goAway =
                count == 0
                ? nil
                : GoAway(
                    requests: count,
                    last: wanted["lastStream"]?.integer,
                    code: wanted["code"]?.integer ?? 0,
                    reason: wanted["reason"]?.text
                )
        }
    }

    var json: JSONValue {
        [
            "streams": JSONValue(streams), "streamsBeforeToken": JSONValue(streamsBeforeToken),
            "acceptsUnknownTokens": .bool(acceptsUnknownTokens), "refusesConnections": .bool(refuses),
            "dropAfter": dropAfter.map { JSONValue($0) } ?? .null,
            "goAway": goAway.map {
                [
                    "afterRequests": JSONValue($0.requests), "lastStream": $0.last.map { JSONValue($0) } ?? .null,
                    "code": JSONValue($0.code), "reason": JSONValue($0.reason),
                ]
            } ?? .null,
        ]
    }
}
