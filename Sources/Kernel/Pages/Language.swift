package import HTTPCore
package import Web

/// The languages that every page exists in.
package enum Language: String, Sendable, CaseIterable {
    /// Japanese, the default of the shop.
    case ja
    /// English.
    case en
}

extension Language {
    private static let tags = allCases.map(\.rawValue)

    /// What a buyer prefers: Japanese where nothing is asked for, English where only other languages are.
    package init(preferredBy request: HTTPRequest) {
        let asked = AcceptLanguage(request).preferredLanguage(among: Language.tags).flatMap(Language.init)
        self = asked ?? (request.count(.acceptLanguage) > 0 ? .en : .ja)
    }
}

extension Localized {
    /// The text of a language.
    package func text(in language: Language) -> String {
        switch language {
        case .ja: japanese
        case .en: english
        }
    }
}
