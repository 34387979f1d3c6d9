import Pages
import Settings

/// What the shop shows of itself.
package struct ShopSettings: Sendable {
    let terms: ShopTerms

    init(_ read: inout SettingReader) {
        let payment = read.line("shop.payment", "when the buyer is charged, one line on the confirm page")
        let delivery = read.line("shop.delivery", "when goods are sent, one line on the confirm page")
        let returns = read.line("shop.returns", "cancellation and returns, one line on the confirm page")
        var policies: [ShopTerms.Policy: LinkTarget] = [:]
        for policy in ShopTerms.Policy.allCases {
            policies[policy] = read.link(
                "shop.\(policy.rawValue)_url",
                "https address of \(ShopSettings.meaning(policy)), linked at the foot of every page"
            )
        }
        let home = read.link(
            "shop.home_url",
            "https address of the shop, linked as the way on from pages of errors and of checkouts that are over"
        )
        let registration = read.text(
            "shop.registration_number",
            "",
            "number as an issuer of qualified invoices, T and 13 digits; with the tax of each rate on confirm page and receipt"
        )
        if !registration.isEmpty, !ShopSettings.isRegistration(registration) {
            read.complain("shop.registration_number", "not T and 13 digits")
        }
        terms = ShopTerms(
            payment: payment,
            delivery: delivery,
            returns: returns,
            home: home,
            registration: registration.isEmpty ? nil : registration,
            policies: policies
        )
    }

    private static func isRegistration(_ text: String) -> Bool {
        let bytes = text.utf8
        return bytes.count == 14 && bytes.first == UInt8(ascii: "T")
            && bytes.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func meaning(_ policy: ShopTerms.Policy) -> String {
        switch policy {
        case .legal: "the information that the law on mail order requires"
        case .terms: "the terms of use"
        case .privacy: "the privacy policy"
        case .contact: "the way to reach the shop"
        }
    }
}

extension SettingReader {
    fileprivate mutating func link(_ name: String, _ meaning: String) -> LinkTarget? {
        let text = text(name, "", meaning)
        guard !text.isEmpty else { return nil }
        let target = text.hasPrefix("https://") ? LinkTarget(text) : nil
        if target == nil { complain(name, "not an https address") }
        return target
    }

    /// The text of each language; where only one is set it stands for both.
    fileprivate mutating func line(_ name: String, _ meaning: String) -> [Language: String] {
        let english = "the same in English; if one of the two is empty, the other is used for both"
        var texts: [Language: String] = [:]
        for (language, name, meaning) in [(Language.ja, name, meaning), (.en, name + "_en", english)] {
            let text = text(name, "", meaning)
            guard !text.isEmpty else { continue }
            if text.count > 300 || text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
                complain(name, "not one line of at most 300 characters")
            }
            texts[language] = text
        }
        guard let only = texts.values.first else { return [:] }
        return texts.merging(Language.allCases.map { ($0, only) }) { own, _ in own }
    }
}
