import Pages

extension ShopTerms.Policy {
    var japanese: Wording {
        switch self {
        case .legal: "特定商取引法に基づく表記"
        case .terms: "利用規約"
        case .privacy: "プライバシーポリシー"
        case .contact: "お問い合わせ"
        }
    }

    var english: Wording {
        switch self {
        case .legal: "Legal notice"
        case .terms: "Terms of use"
        case .privacy: "Privacy policy"
        case .contact: "Contact"
        }
    }
}
