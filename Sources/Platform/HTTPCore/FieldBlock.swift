import Primitives

/// Fields that many responses share, made once: as pairs for HTTP/2 and as finished lines for HTTP/1.1.
///
/// Typically one per kind of route, holding its security headers. Fields that the server writes itself are left out.
package final class FieldBlock: Sendable {
    /// The fields in the order they were given.
    package let fields: [HTTPField]
    /// The same as lines of HTTP/1.1, each with its line end.
    package let lines: [UInt8]

    /// The block of the given fields.
    ///
    /// - Parameter fields: In the order in which they go out.
    package init(_ fields: [HTTPField]) {
        self.fields = fields.filter { !$0.name.belongsToServer }
        var lines: [UInt8] = []
        for field in self.fields { field.appendLine(to: &lines) }
        self.lines = lines
    }

    /// No field at all.
    package static let empty = FieldBlock([])

    /// This block followed by more fields.
    ///
    /// - Parameter more: In the order in which they go out.
    /// - Returns: A block of its own.
    package func adding(_ more: [HTTPField]) -> FieldBlock {
        FieldBlock(fields + more)
    }
}

extension HTTPField {
    /// Appends the field as one line of HTTP/1.1.
    ///
    /// - Parameter output: Grows by name, colon, blank, value and line end.
    package func appendLine(to output: inout [UInt8]) {
        let (name, value) = (name.spelling, self.value)
        // One look at the room for all parts.
        output.append(addingCapacity: name.utf8.count + value.utf8.count + 4) { room in
            room.append(copying: name.utf8Span.span)
            room.append(UInt8(ascii: ":"))
            room.append(UInt8(ascii: " "))
            room.append(copying: value.utf8Span.span)
            room.append(UInt8(ascii: "\r"))
            room.append(UInt8(ascii: "\n"))
        }
    }
}
