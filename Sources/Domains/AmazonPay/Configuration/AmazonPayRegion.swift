/// A part of the world with an API host of its own; an account belongs to one.
package enum AmazonPayRegion: String, Sendable, CaseIterable {
    /// North America.
    case northAmerica = "na"
    /// Europe.
    case europe = "eu"
    /// Japan.
    case japan = "jp"

    /// The region that a setting names, or `nil` for an unknown name.
    ///
    /// - Parameter name: `na`, `us`, `eu`, `de`, `uk` or `jp`, in any case.
    package init?(named name: String) {
        switch name.lowercased() {
        case "na", "us": self = .northAmerica
        case "eu", "de", "uk": self = .europe
        case "jp": self = .japan
        default: return nil
        }
    }

    /// What goes into `x-amz-pay-region`.
    package var label: String { rawValue }

    /// The name of the API's host.
    package var apiHost: String {
        switch self {
        case .northAmerica: "pay-api.amazon.com"
        case .europe: "pay-api.amazon.eu"
        case .japan: "pay-api.amazon.jp"
        }
    }

    /// The origin of the page script.
    package var scriptOrigin: String {
        switch self {
        case .northAmerica: "https://static-na.payments-amazon.com"
        case .europe: "https://static-eu.payments-amazon.com"
        case .japan: "https://static-fe.payments-amazon.com"
        }
    }

    /// The address of the page script, which defines `amazon.Pay`.
    package var scriptURL: String { scriptOrigin + "/checkout.js" }

    /// The hosts of Amazon's own pages, to which a buyer may be sent.
    ///
    /// The vendor lists them nowhere; these are the ones seen in return addresses. A merchant who is sent elsewhere adds the
    /// host to the settings.
    package var hostedPageHosts: [String] {
        switch self {
        case .northAmerica: ["apay-us.amazon.com", "payments.amazon.com"]
        case .europe:
            [
                "payments.amazon.de", "payments.amazon.co.uk", "payments.amazon.fr", "payments.amazon.it",
                "payments.amazon.es",
            ]
        case .japan: ["payments.amazon.co.jp"]
        }
    }
}

/// Whether money moves.
package enum AmazonPayEnvironment: String, Sendable {
    /// Test accounts and test cards.
    case sandbox
    /// Real ones.
    case live
}
