import Primitives
import SimulatorCore
import StrictJSON

/// A card as a phone shows it, as far as HTML can: made of the pass alone, which anybody may have written.
struct CardPicture: Sendable {
    /// Pictures that a card may have, by name without ending.
    static let images = ["logo", "strip", "thumbnail", "icon"]

    let card: Card
    /// Tells its style and its pictures from those of others; a number.
    let index: Int
    /// Path of the phone.
    let path: String
    let language: PageLanguage

    private var languages: [String] { language.ofPasses }

    /// The card.
    var html: HTML {
        let name = text("organizationName")
        return """
            <article class="card c\(String(index))" aria-label="\(name)">
            \(voided)<div class="top">\(image("logo"))<b>\(text("logoText"))</b>\(fields(.header))</div>
            \(image("strip"))\(fields(.primary))\(image("thumbnail"))\(fields(.secondary))\(fields(.auxiliary))\(code)\(back)
            </article>

            """
    }

    /// Colours as the pass has them; nothing of it is copied but numbers.
    var css: String {
        let selector = ".card.c\(index)"
        let back = Self.colour(card.opened.json["backgroundColor"]?.text) ?? "rgb(70, 70, 74)"
        let front = Self.colour(card.opened.json["foregroundColor"]?.text) ?? "rgb(255, 255, 255)"
        let label = Self.colour(card.opened.json["labelColor"]?.text) ?? front
        return "\(selector) { background: \(back); color: \(front); }\n\(selector) dt { color: \(label); }\n"
    }

    /// A colour in the form that style sheets have, or `nil` for anything but three numbers.
    static func colour(_ text: String?) -> String? {
        guard let text, text.octets.starts(with: "rgb("), text.octets.ends(with: ")") else { return nil }
        let parts = String(text.dropFirst(4).dropLast()).octets.parts(between: UInt8(ascii: ","))
        let numbers = parts.compactMap { UInt8(String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())) }
        guard parts.count == 3, numbers.count == 3 else { return nil }
        return "rgb(\(numbers[0]), \(numbers[1]), \(numbers[2]))"
    }

    private func text(_ member: String) -> String {
        card.opened.json[member]?.text.map { card.text($0, in: languages) } ?? ""
    }

    private var voided: HTML {
        guard card.opened.json["voided"]?.flag == true else { return "" }
        return "<p class=\"void\">\(language.text("無効", "Void"))</p>"
    }

    private func image(_ name: String) -> HTML {
        guard card.image(name, in: languages) != nil else { return "" }
        return "<img class=\"\(name)\" src=\"\(path)/cards/\(String(index))/\(name).png\" alt=\"\">"
    }

    private func fields(_ area: Card.Area) -> HTML {
        let fields = card.fields(area, in: languages)
        guard !fields.isEmpty else { return "" }
        let name = String(area.rawValue.dropLast("Fields".utf8.count))
        return "<dl class=\"\(name)\">\(fields.map(field))</dl>"
    }

    private func field(_ field: Card.Field) -> HTML {
        let change = card.changes.first { $0.key.octets == field.key.octets }
        let mark: HTML = change == nil ? "" : " class=\"changed\""
        let message: HTML = change == nil ? "" : "<dd class=\"message\">\(field.changeMessage ?? "")</dd>"
        return "<div\(mark)><dt>\(field.label)</dt><dd>\(field.value)</dd>\(message)</div>"
    }

    private var code: HTML {
        let barcodes = card.opened.json["barcodes"]?.elements ?? []
        guard let code = barcodes.first ?? card.opened.json["barcode"], let message = code["message"]?.text else {
            return ""
        }
        let format = code["format"]?.text ?? ""
        var picture: HTML = ""
        if format.octets == "PKBarcodeFormatQR" { picture = CardPicture.code(message) }
        let caption = code["altText"]?.text.map { card.text($0, in: languages) } ?? message
        let kind = picture == "" ? "[\(format.dropFirst("PKBarcodeFormat".utf8.count))] " : ""
        return "<div class=\"code\">\(picture)\(kind)\(caption)</div>"
    }

    private var back: HTML {
        let fields = card.fields(.back, in: languages)
        guard !fields.isEmpty else { return "" }
        return """
            <details><summary>\(language.text("裏面", "Back"))</summary><dl>\(fields.map(field))</dl></details>
            """
    }
}

extension Card {
    /// The content of a picture, in the size for phones where there is one.
    func image(_ name: String, in languages: [String]) -> [UInt8]? {
        let folders = [""] + languages.map { $0 + ".lproj/" }
        for size in ["@2x", "@3x", ""] {
            for folder in folders {
                if let bytes = opened.files["\(folder)\(name)\(size).png".octets] { return bytes }
            }
        }
        return nil
    }
}
