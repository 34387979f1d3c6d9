/// The two languages of the hosted pages.
enum HostedLanguage: String, Sendable {
    case japanese = "ja"
    case english = "en"

    /// The language of a button's configuration, for example `ja_JP`.
    init(checkoutLanguage: String) {
        self = checkoutLanguage.hasPrefix("ja") ? .japanese : .english
    }

    /// The language of a browser that came without a visit: Japanese unless it asks for something else first.
    init(acceptLanguage: String?) {
        let first = acceptLanguage?.prefix(2).lowercased() ?? "ja"
        self = first.isEmpty || first == "ja" || first.hasPrefix("*") ? .japanese : .english
    }

    /// One of two texts.
    func text(_ japanese: String, _ english: String) -> String {
        self == .japanese ? japanese : english
    }
}
