import Commerce
import Pages

extension TaxRate {
    var japanese: Wording {
        switch self {
        case .standard: "10%対象"
        case .reduced: "8%対象"
        case .untaxed: "対象外"
        }
    }

    var english: Wording {
        switch self {
        case .standard: "Taxed at 10%"
        case .reduced: "Taxed at 8%"
        case .untaxed: "Not taxed"
        }
    }
}
