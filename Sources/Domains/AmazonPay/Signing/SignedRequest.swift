import Cryptography
import Primitives

/// A request as both sides of its signature see it.
package struct SignedRequest: Sendable {
    /// Upper case.
    package var method: String
    /// The path as it is sent, percent-encoded; trailing and repeated slashes as they are.
    package var path: String
    /// The query as it is sent, without its question mark; empty for none.
    package var query: String
    /// Names and values; a name may come several times.
    package var fields: [(String, String)]
    /// The octets of the body; empty for none.
    package var body: [UInt8]

    /// A request.
    ///
    /// - Parameters:
    ///   - method: Upper case.
    ///   - query: As it is sent, without its question mark.
    ///   - body: Empty for none.
    package init(method: String, path: String, query: String = "", fields: [(String, String)], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
    }

    /// The values of a name, joined by commas; `nil` where the name does not come.
    ///
    /// - Returns: Without the blanks around each value, inner runs of blanks folded into one space.
    package func value(_ name: String) -> String? {
        let wanted = name.lowercased()
        let values = fields.filter { $0.0.lowercased() == wanted }.map { SignedRequest.folded($0.1) }
        return values.isEmpty ? nil : values.joined(separator: ",")
    }

    /// The octets that a signature of this request stands for.
    ///
    /// - Parameter signedHeaders: The list exactly as the `Authorization` field carries it: one client family keeps capitals
    ///   there while the lines above are in lower case. A name that did not come counts as empty.
    /// - Returns: Six parts joined by line feeds.
    package func canonicalOctets(signedHeaders: String) -> [UInt8] {
        let names = fields.map { $0.0.lowercased() }
        var octets: [UInt8] = []
        octets.reserveCapacity(1_024)
        for part in [method, PercentEncoding.path(path), PercentEncoding.query(query)] {
            octets.append(contentsOf: part.utf8)
            octets.append(UInt8(ascii: "\n"))
        }
        for signed in signedHeaders.split(separator: ";", omittingEmptySubsequences: false) {
            let name = signed.lowercased()
            octets.append(contentsOf: name.utf8)
            octets.append(UInt8(ascii: ":"))
            var isFirst = true
            for index in names.indices where names[index] == name {
                if !isFirst { octets.append(UInt8(ascii: ",")) }
                isFirst = false
                SignedRequest.appendFolded(fields[index].1, to: &octets)
            }
            octets.append(UInt8(ascii: "\n"))
        }
        octets.append(UInt8(ascii: "\n"))
        octets.append(contentsOf: signedHeaders.utf8)
        octets.append(UInt8(ascii: "\n"))
        octets.append(contentsOf: SHA256.digest(of: body).hexadecimal.utf8)
        return octets
    }

    /// The names of all fields, sorted, in lower case, joined by semicolons.
    package var allHeaders: String {
        Set(fields.map { $0.0.lowercased() }).sorted().joined(separator: ";")
    }

    private static func folded(_ value: String) -> String {
        value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    }

    /// The same as `folded`, without a text for each part where all characters are ASCII, as nearly always.
    private static func appendFolded(_ value: String, to octets: inout [UInt8]) {
        guard value.utf8.allSatisfy({ $0 < 0x80 }) else { return octets.append(contentsOf: folded(value).utf8) }
        var isBlankDue = false
        var isStarted = false
        for octet in value.utf8 {
            guard octet != UInt8(ascii: " "), octet != UInt8(ascii: "\t") else {
                isBlankDue = isStarted
                continue
            }
            if isBlankDue { octets.append(UInt8(ascii: " ")) }
            isBlankDue = false
            isStarted = true
            octets.append(octet)
        }
    }
}
