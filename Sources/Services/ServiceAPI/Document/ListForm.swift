import HTTPCore
package import Primitives
package import StrictJSON
package import Web

/// The one form of lists below `/v1`: `after` and `limit` go in; a page, the place behind it and whether there is more come out.
package enum ListForm {
    /// Names of the parameters.
    package static let parameters = ["after", "limit"]

    private static let most = 100
    private static let usual = 20

    // MARK: In

    /// How many elements a page may have.
    ///
    /// - Parameter query: The parameters of the request, by name.
    /// - Returns: 1 to 100; 20 by default.
    /// - Throws: `invalid_request` for another text.
    package static func limit(_ query: [OctetText: String]) throws(Failure) -> Int {
        guard let text = query["limit"] else { return usual }
        guard let limit = DecimalDigits.parse(text.utf8Span.span, limit: most), limit > 0 else {
            throw Failure(.invalidRequest, message: "A whole number from 1 to \(most).", field: "limit")
        }
        return limit
    }

    /// The place behind which a page begins.
    ///
    /// - Parameters:
    ///   - query: The parameters of the request, by name.
    ///   - read: The place that a text stands for, or `nil` where it is none.
    /// - Returns: `nil` for the beginning of the list.
    /// - Throws: `invalid_cursor` where it is none.
    package static func after<Place>(
        _ query: [OctetText: String],
        _ read: (String) -> Place?
    ) throws(Failure) -> Place? {
        guard let text = query["after"] else { return nil }
        guard let place = read(text) else { throw unknown() }
        return place
    }

    /// The refusal of a place that the list does not have.
    ///
    /// - Parameter message: Where there is more to say than that no list has returned it.
    package static func unknown(_ message: String? = nil) -> Failure {
        guard let message else { return Failure(.invalidCursor, field: "after") }
        return Failure(.invalidCursor, message: message, field: "after")
    }

    // MARK: Out

    /// The content of an answer.
    ///
    /// - Parameters:
    ///   - next: The place behind the page; of an empty one where it began.
    ///   - hasMore: Whether more can be read now.
    /// - Returns: A JSON object.
    package static func content(_ data: [[UInt8]], next: String?, hasMore: Bool) -> [UInt8] {
        var content = Array(#"{"object":"list","data":["#.utf8)
        for (index, element) in data.enumerated() {
            if index > 0 { content.append(UInt8(ascii: ",")) }
            content += element
        }
        content += #"],"nextCursor":\#(JSONValue(next)),"hasMore":\#(hasMore)}"#.utf8
        return content
    }

    /// What goes in and comes out of a list; `place` is what `after` has, of so many characters.
    package static func shape(
        _ example: AnswerExample,
        of element: Schema,
        after place: Schema,
        length: ClosedRange<Int>
    ) -> RouteDescription.Shape {
        var shape = RouteDescription.Shape(
            .ok,
            .object([
                .kind("list"), .required("data", .list(element, 0...most)),
                .required(
                    "nextCursor",
                    .nullable(.text(length)),
                    "`after` of the next page, also if there is none yet; `null` only if nothing was listed so far"
                ),
                .required("hasMore", .flag, "whether more can be read now"),
            ]),
            example
        )
        shape.query = [
            QueryParameter("after", place, "the `nextCursor` of the previous page: the list continues after it"),
            QueryParameter(
                "limit",
                .integer(1...most),
                "the greatest number of elements in the page; default: \(usual)"
            ),
        ]
        shape.problems = [.invalidCursor]
        return shape
    }
}

extension SchemaMember {
    /// The first member of an object: what it is.
    package static func kind(_ name: String) -> SchemaMember { .required("object", .word([name])) }
}

extension JSONMember {
    /// The first member of an object: what it is.
    package static func kind(_ name: String) -> JSONMember { JSONMember("object", .string(name)) }
}
