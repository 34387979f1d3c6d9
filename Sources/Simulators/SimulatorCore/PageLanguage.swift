import Primitives

/// The two languages of the pages for testers.
package enum PageLanguage: String, Sendable {
    /// Of a browser that asks for nothing else first.
    case japanese = "ja"
    /// Of any other.
    case english = "en"

    /// The language of a browser: Japanese unless it asks for something else first.
    package init(acceptLanguage: String?) {
        let first = (acceptLanguage ?? "ja").prefix(2).lowercased().octets
        self = first == "" || first == "ja" || first.starts(with: "*") ? .japanese : .english
    }

    /// One of two texts.
    package func text(_ japanese: String, _ english: String) -> String {
        self == .japanese ? japanese : english
    }

    /// A text in this language.
    package func text(_ text: PageText) -> String { self.text(text.japanese, text.english) }
}

/// A text in both languages of the pages.
package struct PageText: Sendable {
    /// In Japanese.
    package let japanese: String
    /// In English.
    package let english: String

    /// A text and its translation.
    package init(_ japanese: String, _ english: String) {
        (self.japanese, self.english) = (japanese, english)
    }

    /// Words of a pass or of a server, which are what they are.
    package init(_ words: String) { self.init(words, words) }
}
