/// A document taken apart into its tags, strictly: what it does not understand is a complaint.
///
/// Only as much of HTML as the pages use: quoted attributes, void elements, raw text in `script` and `style`.
struct ScannedDocument {
    struct Tag {
        let name: String
        let attributes: [(name: String, value: String)]
        /// The raw text of a `script` or `style`.
        var text = ""

        func value(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
    }

    private(set) var tags: [Tag] = []
    private(set) var complaints: [String] = []

    private static let void: Set<String> = ["meta", "link", "img", "input", "br"]

    init(_ document: String) {
        var rest = Substring(document)
        var open: [String] = []
        guard rest.hasPrefix("<!DOCTYPE html>\n") else {
            complaints = ["no doctype"]
            return
        }
        rest = rest.dropFirst(16)
        while let start = rest.firstIndex(of: "<") {
            if rest[..<start].contains(">") { complaints.append("a bare > before \(rest[start...].prefix(40))") }
            rest = rest[start...].dropFirst()
            if rest.first == "/" {
                close(&rest, &open)
            } else {
                self.open(&rest, &open)
            }
        }
        if !open.isEmpty { complaints.append("left open: \(open)") }
    }

    private mutating func close(_ rest: inout Substring, _ open: inout [String]) {
        let name = String(rest.dropFirst().prefix { $0 != ">" })
        rest = rest.drop { $0 != ">" }.dropFirst()
        if open.last == name {
            open.removeLast()
        } else {
            complaints.append("</\(name)> inside \(open)")
        }
    }

    private mutating func open(_ rest: inout Substring, _ open: inout [String]) {
        let name = String(rest.prefix { $0.isLetter || $0.isNumber })
        rest = rest.dropFirst(name.count)
        var tag = Tag(name: name, attributes: attributes(&rest, of: name))
        if name == "script" || name == "style" {
            let end = rest.range(of: "</\(name)>") ?? rest.endIndex..<rest.endIndex
            tag.text = String(rest[..<end.lowerBound])
            rest = rest[end.upperBound...]
        } else if !Self.void.contains(name) {
            open.append(name)
        }
        tags.append(tag)
    }

    private mutating func attributes(_ rest: inout Substring, of tag: String) -> [(name: String, value: String)] {
        var found: [(name: String, value: String)] = []
        while true {
            rest = rest.drop { $0 == " " }
            guard let first = rest.first, first != ">" else { break }
            let name = String(rest.prefix { $0.isLetter || $0 == "-" })
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty, !found.contains(where: { $0.name == name }) else {
                complaints.append("<\(tag)> near \(rest.prefix(40))")
                rest = rest.drop { $0 != ">" }
                break
            }
            found.append((name, value(&rest, of: name)))
        }
        rest = rest.dropFirst()
        return found
    }

    private mutating func value(_ rest: inout Substring, of name: String) -> String {
        guard rest.first == "=" else { return "" }
        guard rest.dropFirst().first == "\"" else {
            complaints.append("\(name) without quotes")
            return ""
        }
        rest = rest.dropFirst(2)
        let value = rest.prefix { $0 != "\"" }
        if value.contains("<") { complaints.append("\(name) holds a <") }
        rest = rest.dropFirst(value.count + 1)
        return String(value)
    }
}

extension Substring {
    /// Where a text is found first, without Foundation.
    fileprivate func range(of text: String) -> Range<Index>? {
        var position = startIndex
        while position < endIndex {
            if self[position...].hasPrefix(text) { return position..<index(position, offsetBy: text.count) }
            position = index(after: position)
        }
        return nil
    }
}
