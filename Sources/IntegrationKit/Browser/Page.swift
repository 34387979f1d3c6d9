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
    package var text: String { String(decoding: response.body, as: UTF8.self) }

    /// The value of the first field of a name, or `nil`.
    ///
    /// - Parameter name: Case does not count.
    package subscript(field name: String) -> String? { response.first(name) }

    /// The head as lines, names in lower case, in the order in which they came.
    package var head: [String] { response.fields.map { "\($0.0.lowercased()): \($0.1)" } }

    /// The values of all fields of a name.
    ///
    /// - Parameter name: Case does not count.
    /// - Returns: In order.
    package func all(_ name: String) -> [String] {
        response.fields.filter { $0.0.lowercased() == name.lowercased() }.map(\.1)
    }

    /// The webview session that the answer is about, from `X-Flow-Id`.
    package var webviewSession: String { self[field: "x-flow-id"] ?? "" }

    /// The code of a refusal: `data-error` of a page, `error` of a JSON answer; empty where there is none.
    package var error: String {
        tags("html").first?["data-error"] ?? member("error") ?? ""
    }

    /// The text of a member of a flat JSON answer, or `nil`.
    ///
    /// - Parameter name: The member.
    /// - Returns: The text between the quotes.
    package func member(_ name: String) -> String? {
        let mark = "\"\(name)\":\""
        guard text.hasPrefix("{"), let start = text.firstRange(of: mark)?.upperBound else { return nil }
        return String(text[start...].prefix { $0 != "\"" })
    }

    /// The attributes of all start tags of a name, entities undone.
    ///
    /// - Parameter name: For example `a`.
    /// - Returns: In order.
    package func tags(_ name: String) -> [[String: String]] {
        Markup.tags(in: text).filter { $0.name == name }.map(\.attributes)
    }

    /// Where an anchor leads, or `nil` where the page has none of that id.
    ///
    /// - Parameter id: Its id.
    /// - Returns: The URL.
    package func link(_ id: String) -> String? {
        tags("a").first { $0["id"] == id }?["href"]
    }

    /// A form of the page, or `nil`.
    ///
    /// - Parameter action: Where it posts to, or how that ends.
    /// - Returns: With its hidden fields.
    package func form(to action: String) -> Form? {
        var found: Form?
        for tag in Markup.tags(in: text) {
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
    ///
    /// - Parameter name: Its name.
    package subscript(_ name: String) -> String? { fields.first { $0.0 == name }?.1 }
}

/// A start or end tag.
struct MarkupTag: Sendable {
    let name: String
    let attributes: [String: String]
}

/// Reads the tags of our own pages, which are well-formed.
enum Markup {
    static func tags(in text: String) -> [MarkupTag] {
        var found: [MarkupTag] = []
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "<") {
            rest = rest[open...].dropFirst()
            let name = String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "/" })
            rest = rest.dropFirst(name.count)
            found.append(MarkupTag(name: name, attributes: attributes(&rest)))
        }
        return found
    }

    private static func attributes(_ rest: inout Substring) -> [String: String] {
        var found: [String: String] = [:]
        while true {
            rest = rest.drop { $0 == " " || $0 == "\n" }
            let name = String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" })
            guard !name.isEmpty else { return found }
            rest = rest.dropFirst(name.count)
            guard rest.hasPrefix("=\"") else {
                found[name] = ""
                continue
            }
            let value = rest.dropFirst(2).prefix { $0 != "\"" }
            rest = rest.dropFirst(value.count + 3)
            found[name] = plain(String(value))
        }
    }

    private static func plain(_ text: String) -> String {
        let entities = [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
        return entities.reduce(text) { text, entity in text.replacing(entity.0, with: entity.1) }
    }
}
