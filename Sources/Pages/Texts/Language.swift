import Web

/// The languages that every page exists in.
package enum Language: String, Sendable, CaseIterable {
    /// Japanese, the default of the shop.
    case ja
    /// English.
    case en
}

extension Localized {
    /// The text of a language.
    func text(in language: Language) -> String {
        switch language {
        case .ja: japanese
        case .en: english
        }
    }
}
