import Primitives

/// How a shop looks: its own logo and colour, where the settings name them.
package struct ShopLook: Sendable {
    /// In place of the mark beside the shop's name.
    let logo: ShopLogo?
    /// In place of the colour of buttons and links.
    let accent: AccentColour?

    /// Puts the look together.
    ///
    /// - Parameters:
    ///   - logo: `nil` for the mark.
    ///   - accent: `nil` for the colour of the style sheet.
    package init(logo: ShopLogo? = nil, accent: AccentColour? = nil) {
        self.logo = logo
        self.accent = accent
    }
}

/// A picture that is one by its content, whatever its file is called.
package struct ShopLogo: Sendable {
    /// The greatest file.
    package static let limit = 65_536

    let bytes: [UInt8]
    /// The end of its name, which says what it is.
    let ending: String
    /// The value of the `Content-Type` field.
    let contentType: String

    /// The picture, or `nil` where the content is no PNG, JPEG, WebP or SVG.
    package init?(_ bytes: [UInt8]) {
        let start = String(decoding: bytes.prefix(512), as: UTF8.self)
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            (ending, contentType) = ("png", "image/png")
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            (ending, contentType) = ("jpg", "image/jpeg")
        } else if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            (ending, contentType) = ("webp", "image/webp")
        } else if start.hasPrefix("<svg") || (start.hasPrefix("<?xml") && start.contains("<svg")) {
            (ending, contentType) = ("svg", "image/svg+xml")
        } else {
            return nil
        }
        self.bytes = bytes
    }
}

/// A colour of buttons and links, with what can be read on it and beside it (WCAG 2.2, 1.4.3 and 1.4.11).
package struct AccentColour: Sendable {
    private let parts: [UInt8]

    /// The colour, or `nil` for another form.
    ///
    /// - Parameter text: `#17525f`: six hexadecimal digits behind a number sign.
    package init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 7, digits[0] == UInt8(ascii: "#"),
            digits.dropFirst().allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let number = Int(text.dropFirst(), radix: 16)
        else { return nil }
        parts = [UInt8(number >> 16), UInt8(number >> 8 & 255), UInt8(number & 255)]
    }

    private init(_ parts: [UInt8]) { self.parts = parts }

    /// The text on it: white, or black where white is too pale.
    private var ink: AccentColour { contrast(with: .white) >= 4.5 ? .white : .black }

    /// What stands behind the style sheet.
    ///
    /// Links have the colour only on grounds where it can be read; a button too like its ground has an edge.
    var styles: [UInt8] {
        let away: AccentColour = ink.parts == AccentColour.white.parts ? .black : .white
        let fill = "--accent: \(text); --accent-strong: \(mixed(with: away).text); --accent-ink: \(ink.text)"
        let schemes = [("light", AccentColour.lightGround), ("dark", AccentColour.darkGround)].map { name, ground in
            let link = contrast(with: ground) >= 4.5 ? " --link: \(text); --link-strong: \(text);" : ""
            let edge = contrast(with: ground) < 3 ? " --accent-edge: var(--edge);" : ""
            return "@media (prefers-color-scheme: \(name)) { :root {\(link)\(edge) } }\n"
        }
        return Array((":root { \(fill) }\n" + schemes.joined()).utf8)
    }

    private var text: String { "#\(Hex.encode(parts))" }

    private func mixed(with other: AccentColour) -> AccentColour {
        AccentColour(zip(parts, other.parts).map { UInt8((Int($0) * 85 + Int($1) * 15) / 100) })
    }

    /// From 1, no difference, to 21.
    private func contrast(with other: AccentColour) -> Double {
        let (one, two) = (luminance + 0.05, other.luminance + 0.05)
        return max(one, two) / min(one, two)
    }

    private var luminance: Double {
        let linear = parts.map { part in
            let value = Double(part) / 255
            return value <= 0.04045 ? value / 12.92 : AccentColour.power((value + 0.055) / 1.055)
        }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    /// The number to the power of 2.4, for numbers from 0.08 to 1: its square times the fifth root of its square, by Newton.
    private static func power(_ number: Double) -> Double {
        let square = number * number
        var root = 1.0
        for _ in 0..<20 { root -= (root - square / (root * root * root * root)) / 5 }
        return square * root
    }

    private static let white = AccentColour([255, 255, 255])
    private static let black = AccentColour([0, 0, 0])
    /// Of the grounds of the style sheet those where contrast is least: `--tint` in light and in dark.
    private static let lightGround = AccentColour([0xE7, 0xF0, 0xEF])
    private static let darkGround = AccentColour([0x22, 0x31, 0x38])
}
