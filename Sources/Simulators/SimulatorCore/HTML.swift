/// Text that may stand in a page as it is.
///
/// Whatever is put into one by interpolation is escaped, unless it is such text itself.
package struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// As it stands in the page.
    package private(set) var text: String

    /// Text as it is.
    package init(stringLiteral value: String) {
        text = value
    }

    /// Text with values in it, which are escaped.
    package init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    /// No text.
    package static let empty: HTML = ""

    /// The text in UTF-8.
    package var bytes: [UInt8] { Array(text.utf8) }

    /// Takes the parts of a literal.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        /// An empty text with room for a literal.
        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 32 * interpolationCount)
        }

        /// Appends text as it is.
        package mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// Appends a value, escaped.
        package mutating func appendInterpolation(_ value: String) {
            for scalar in value.unicodeScalars {
                switch scalar {
                case "&": text += "&amp;"
                case "<": text += "&lt;"
                case ">": text += "&gt;"
                case "\"": text += "&quot;"
                case "'": text += "&#39;"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }

        /// Appends text that may stand there as it is.
        package mutating func appendInterpolation(_ html: HTML) {
            text += html.text
        }

        /// Appends such texts, one behind the other.
        package mutating func appendInterpolation(_ parts: [HTML]) {
            for part in parts { text += part.text }
        }
    }
}
