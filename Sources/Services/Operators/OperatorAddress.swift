package import Pages
import Primitives

extension LinkTarget {
    static let start = LinkTarget(own: "/console")
    static let signIn = LinkTarget(own: "/console/sign-in")
    static let sessions = LinkTarget(own: "/console/sessions")
    static let decisions = LinkTarget(own: "/console/decisions")

    /// The address of a page of the staff's: a path of ours, places filled with texts, and a query.
    ///
    /// - Parameters:
    ///   - path: With `*` for each text.
    ///   - query: Those with an empty value are left out.
    package static func operators(
        _ path: StaticString,
        _ texts: String...,
        query: KeyValuePairs<String, String> = [:]
    ) -> LinkTarget {
        var rest = texts.makeIterator()
        var bytes: [UInt8] = []
        for byte in path.description.utf8 {
            if byte == UInt8(ascii: "*"), let text = rest.next() {
                encode(text, to: &bytes)
            } else {
                bytes.append(byte)
            }
        }
        var mark = UInt8(ascii: "?")
        for (name, value) in query where !value.isEmpty {
            bytes.append(mark)
            encode(name, to: &bytes)
            bytes.append(UInt8(ascii: "="))
            encode(value, to: &bytes)
            mark = UInt8(ascii: "&")
        }
        // Nothing that the form of an address refuses is left.
        return LinkTarget(String(decoding: bytes, as: UTF8.self)) ?? .start
    }

    /// Writes a text as it stands in a path or a query (RFC 3986, 2.1).
    private static func encode(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                bytes += Array(Hex.encode([byte]).utf8)
            }
        }
    }
}
