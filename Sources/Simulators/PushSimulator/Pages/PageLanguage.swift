import Primitives

/// The two languages of the pages.
enum PageLanguage: String, Sendable {
    case japanese = "ja"
    case english = "en"

    /// The language of a browser: Japanese unless it asks for something else first.
    init(acceptLanguage: String?) {
        let first = (acceptLanguage ?? "ja").prefix(2).lowercased().octets
        self = first == "" || first == "ja" || first.starts(with: "*") ? .japanese : .english
    }

    /// One of two texts.
    func text(_ japanese: String, _ english: String) -> String {
        self == .japanese ? japanese : english
    }

    /// Languages of passes by preference.
    var ofPasses: [String] { self == .japanese ? ["ja", "en"] : ["en", "ja"] }
}
