import SimulatorCore

/// What every hosted page has around its content.
struct HostedFrame: Sendable {
    let language: HostedLanguage
    let title: String
    /// The stable id of the page, for scripts that find their way.
    let id: String
    /// Schemes of apps that a form may end up in, as policies name them.
    var appSchemes: [String] = []
    /// What stands in the head beyond title and style.
    var head = HTML.empty

    func answer(_ status: Int, _ content: HTML, _ fields: [(String, String)] = []) -> SimulatorAnswer {
        SimulatorAnswer(status, HostedFrame.fields(policy) + fields, body: page(content).bytes)
    }

    private func page(_ content: HTML) -> HTML {
        let banner = language.text("シミュレーターです。実際の支払いは行われません。", "Simulator: no real payment.")
        return """
            <!DOCTYPE html>
            <html lang="\(language.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            <title>\(title) - Amazon Pay simulator</title>
            <meta name="color-scheme" content="light dark">
            <link rel="icon" href="data:,">
            <link rel="stylesheet" href="/ap/style.css">
            \(head)</head>
            <body>
            <header class="banner"><p id="simulator-banner">\(banner)</p></header>
            <main id="\(id)">
            <p class="brand">amazon <span>pay</span></p>
            <h1>\(title)</h1>
            \(content)</main>
            </body>
            </html>

            """
    }

    /// Browsers hold each redirect after a form to `form-action`; where the merchant's pages lead is not for these to say.
    private var policy: String {
        let targets = (HostedFrame.formTargets + appSchemes).joined(separator: " ")
        return "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action \(targets); "
            + "base-uri 'none'; frame-ancestors 'none'"
    }

    private static let formTargets = [
        "'self'", "https:", "http://localhost:*", "http://*.localhost:*", "http://127.0.0.1:*",
    ]

    static func fields(_ policy: String) -> [(String, String)] {
        [
            ("content-type", "text/html; charset=utf-8"), ("cache-control", "no-store"),
            ("content-security-policy", policy), ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"), ("referrer-policy", "same-origin"), ("x-robots-tag", "noindex"),
        ]
    }
}

extension ReturnURLs {
    /// The schemes of those that lead into an app.
    var appSchemes: [String] {
        let apps = [review, result, cancel, error].compactMap { $0.flatMap { WebURL($0, acceptsApps: true) } }
            .filter(\.isApp)
        return Set(apps.map(\.origin)).sorted()
    }
}
