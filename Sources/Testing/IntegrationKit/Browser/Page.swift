package import HTTPCore

/// What a browser was answered.
package struct Page: Sendable {
    /// Where it comes from.
    package let url: URLParts
    /// As it came.
    package let response: InboundResponse
    /// Where the browser was sent on the way here, in order.
    package var hops: [String] = []

    /// The status.
    package var status: Int { response.status }

    /// The body as text.
    package var text: String { response.text }

    /// The value of the first field of a name, whose case does not count, or `nil`.
    package subscript(field name: String) -> String? { response.first(name) }

    /// The head as lines, names in lower case, in the order in which they came.
    package var head: [String] { response.fields.map { "\($0.0.lowercased()): \($0.1)" } }

    /// The values of all fields of a name, whose case does not count, in order.
    package func all(_ name: String) -> [String] {
        response.fields.filter { $0.0.lowercased() == name.lowercased() }.map(\.1)
    }

    /// The webview session that the answer is about, from `Webview-Session-Id`.
    package var webviewSession: String { self[field: "webview-session-id"] ?? "" }

    /// The code of a refusal: `data-error` of a page, `error` of a JSON answer; empty where there is none.
    package var error: String {
        tags("html").first?["data-error"] ?? member("error") ?? ""
    }

    /// The text of a member of a flat JSON answer, or `nil`.
    package func member(_ name: String) -> String? {
        let mark = "\"\(name)\":\""
        guard text.hasPrefix("{"), let start = text.firstRange(of: mark)?.upperBound else { return nil }
        return String(text[start...].prefix { $0 != "\"" })
    }

    /// The attributes of all start tags of a name in order, entities undone.
    package func tags(_ name: String) -> [[String: String]] {
        Markup.tags(in: response.body).filter { $0.name == name }.map(\.attributes)
    }

    /// Where an anchor leads, or `nil` where the page has none of that id.
    package func link(_ id: String) -> String? {
        tags("a").first { $0["id"] == id }?["href"]
    }

    /// The form of the page that posts to a path with some end, with its hidden fields, or `nil`.
    package func form(to action: String) -> Form? {
        var found: Form?
        for tag in Markup.tags(in: response.body) {
            switch (tag.name, found) {
            case ("form", nil) where tag.attributes["action"]?.prefix(while: { $0 != "?" }).hasSuffix(action) == true:
                found = Form(action: tag.attributes["action"] ?? "", fields: [])
            case ("form", let form?), ("/form", let form?): return form
            case ("input", .some):
                if let name = tag.attributes["name"] { found?.fields.append((name, tag.attributes["value"] ?? "")) }
            default: break
            }
        }
        return found
    }
}

/// A form with its fields.
package struct Form: Sendable {
    /// Where it posts to.
    package let action: String
    /// Names and values.
    package var fields: [(String, String)]

    /// The value of a field, or `nil`.
    package subscript(_ name: String) -> String? { fields.first { $0.0 == name }?.1 }
}

/// A start or end tag.
struct MarkupTag: Sendable {
    let name: String
    let attributes: [String: String]
}

/// Reads the tags of our own pages, which are well-formed.
enum Markup {
    static func tags(in page: [UInt8]) -> [MarkupTag] {
        var found: [MarkupTag] = []
        var rest = page[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(open + 1)...]
            let name = take(&rest) { isWord($0) || $0 == UInt8(ascii: "/") }
            found.append(MarkupTag(name: name, attributes: attributes(&rest)))
        }
        return found
    }

    private static func attributes(_ rest: inout ArraySlice<UInt8>) -> [String: String] {
        var found: [String: String] = [:]
        while true {
            rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
            let name = take(&rest) { isWord($0) || $0 == UInt8(ascii: "-") }
            guard !name.isEmpty else { return found }
            guard rest.starts(with: [UInt8(ascii: "="), UInt8(ascii: "\"")]) else {
                found[name] = ""
                continue
            }
            rest = rest.dropFirst(2)
            found[name] = plain(take(&rest) { $0 != UInt8(ascii: "\"") })
            rest = rest.dropFirst()
        }
    }

    private static func take(_ rest: inout ArraySlice<UInt8>, while belongs: (UInt8) -> Bool) -> String {
        let taken = rest.prefix(while: belongs)
        rest = rest[taken.endIndex...]
        return String(decoding: taken, as: UTF8.self)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        let letter = byte | 0x20
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func plain(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        let entities = [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
        return entities.reduce(text) { text, entity in text.replacing(entity.0, with: entity.1) }
    }
}

extension InboundResponse {
    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The value that the answer gives to a cookie of a whole name, or `nil`.
    package func cookie(_ name: String) -> String? {
        for (field, value) in fields where field.lowercased() == "set-cookie" && value.hasPrefix(name + "=") {
            return String(value.dropFirst(name.utf8.count + 1).prefix { $0 != ";" })
        }
        return nil
    }
}
