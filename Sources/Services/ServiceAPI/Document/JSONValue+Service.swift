package import Primitives
package import StrictJSON

extension JSONValue {
    /// A time, or `null` where there is none.
    package init(optionalTime time: WallTime?) {
        if let time { self.init(time: time) } else { self = .null }
    }

    /// A time, RFC 3339 to the second: `2026-11-21T14:00:00Z`.
    package init(time: WallTime) {
        self = .string(CalendarDate(time).extendedText)
    }
}

extension JSONValue {
    /// An object with one member more.
    package func adding(_ name: String, _ value: JSONValue) -> JSONValue {
        .object(members + [JSONMember(name, value)])
    }
}
