/// The languages a client prefers, RFC 9110 section 12.5.4.
///
/// Reads the request in place; not to be kept past its response.
package struct AcceptLanguage {
    private let request: HTTPRequest

    /// The preferences that a request states.
    ///
    /// - Parameter request: Not changed while this is in use.
    package init(_ request: HTTPRequest) {
        self.request = request
    }

    /// The offered language that the client likes best, or `nil` where it states no preference for any.
    ///
    /// A longer range matches its primary language (`ja-JP` matches `ja`), `*` matches the first one offered. Among
    /// equals the range that comes first in the field wins. What cannot be read is skipped.
    ///
    /// - Parameter tags: Primary language tags in lower case, the default first; for example `["ja", "en"]`.
    /// - Returns: One of `tags`.
    package func preferredLanguage(among tags: [String]) -> String? {
        var best: (tag: String, quality: Int)?
        request.forEachValue(.acceptLanguage) { value in
            var start = 0
            while start < value.count {
                var end = start
                while end < value.count, value[end] != UInt8(ascii: ",") { end += 1 }
                let item = value.extracting(start..<end)
                start = end + 1
                guard let quality = AcceptLanguage.quality(item), quality > best?.quality ?? 0,
                    let tag = AcceptLanguage.match(item, tags)
                else { continue }
                best = (tag, quality)
            }
        }
        return best?.tag
    }

    private static func match(_ item: Span<UInt8>, _ tags: [String]) -> String? {
        var end = 0
        while end < item.count, item[end] != UInt8(ascii: ";"), item[end] != UInt8(ascii: "-") { end += 1 }
        let part = item.extracting(0..<end)
        let language = part.extracting(part.trimmedRange())
        if language.isEqual(to: "*") { return tags.first }
        return tags.first { language.isEqualIgnoringCase(to: $0.utf8Span.span) }
    }

    /// Thousandths; 1000 without a parameter, `nil` where the parameter cannot be read.
    private static func quality(_ item: Span<UInt8>) -> Int? {
        var start = 0
        while start < item.count, item[start] != UInt8(ascii: ";") { start += 1 }
        guard start < item.count else { return 1000 }
        let part = item.extracting((start + 1)...)
        let parameter = part.extracting(part.trimmedRange())
        guard parameter.count >= 3, parameter.count <= 7, ByteText.lowercase(parameter[0]) == UInt8(ascii: "q"),
            parameter[1] == UInt8(ascii: "="), parameter.count == 3 || parameter[3] == UInt8(ascii: ".")
        else { return nil }
        var value = 0
        var unit = 1000
        for index in 2..<parameter.count where index != 3 {
            let digit = parameter[index]
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            value += Int(digit - UInt8(ascii: "0")) * unit
            unit /= 10
        }
        return value <= 1000 ? value : nil
    }
}
