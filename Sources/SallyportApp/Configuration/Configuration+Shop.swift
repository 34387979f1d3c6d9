import Pages

extension Configuration {
    /// What the shop shows of itself.
    struct Shop: Sendable {
        /// Empty for the program's mark.
        let logoPath: String
        /// `nil` for the colour of the style sheet.
        let accent: AccentColour?
        let terms: ShopTerms

        init(_ reader: inout SettingReader) {
            logoPath = reader.text("shop.logo")
            let colour = reader.text("shop.accent")
            accent = AccentColour(colour)
            if !colour.isEmpty, accent == nil { reader.complain("shop.accent", "not a colour such as #17525f") }
            var policies: [ShopTerms.Policy: LinkTarget] = [:]
            for policy in ShopTerms.Policy.allCases {
                policies[policy] = Shop.address(SettingTable.policyName(policy), &reader)
            }
            terms = ShopTerms(
                payment: Shop.line("shop.payment", &reader),
                delivery: Shop.line("shop.delivery", &reader),
                returns: Shop.line("shop.returns", &reader),
                policies: policies
            )
        }

        private static func address(_ name: String, _ reader: inout SettingReader) -> LinkTarget? {
            let text = reader.text(name)
            guard !text.isEmpty else { return nil }
            let target = text.hasPrefix("https://") ? LinkTarget(text) : nil
            if target == nil { reader.complain(name, "not an https address") }
            return target
        }

        /// The text of each language; where only one is set it stands for both.
        private static func line(_ name: String, _ reader: inout SettingReader) -> [Language: String] {
            var texts: [Language: String] = [:]
            for (language, name) in [(Language.ja, name), (.en, name + "_en")] {
                let text = reader.text(name)
                guard !text.isEmpty else { continue }
                if text.count > 300
                    || text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
                {
                    reader.complain(name, "not one line of at most 300 characters")
                }
                texts[language] = text
            }
            guard let only = texts.values.first else { return [:] }
            return texts.merging(Language.allCases.map { ($0, only) }) { own, _ in own }
        }
    }
}
