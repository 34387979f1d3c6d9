import Primitives

/// What the pages for testers have around their content.
package struct SimulatorPage: Sendable {
    /// Of the person.
    package let language: PageLanguage
    private let title: String
    private let banner: String
    private let name: String
    private let style: String?
    private let isWatched: Bool

    /// A page.
    ///
    /// - Parameters:
    ///   - banner: Says in the language that nothing here is real.
    ///   - name: Of the simulator, in the title.
    ///   - style: A further style of this page alone.
    ///   - isWatched: Whether the browser loads it again every two seconds.
    package init(
        language: PageLanguage,
        title: String,
        banner: String,
        name: String,
        style: String? = nil,
        isWatched: Bool = false
    ) {
        (self.language, self.title, self.banner, self.name) = (language, title, banner, name)
        (self.style, self.isWatched) = (style, isWatched)
    }

    /// The answer with the page.
    package func answer(_ status: Int, _ content: HTML) -> SimulatorAnswer {
        SimulatorAnswer(
            status,
            SimulatorPage.fields(
                "text/html; charset=utf-8",
                policy: "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; "
                    + "base-uri 'none'; frame-ancestors 'none'"
            ),
            body: page(content).bytes
        )
    }

    private func page(_ content: HTML) -> HTML {
        let own: HTML = style.map { "<link rel=\"stylesheet\" href=\"\($0)\">\n" } ?? ""
        let refresh: HTML = isWatched ? "<meta http-equiv=\"refresh\" content=\"2\">\n" : ""
        return """
            <!DOCTYPE html>
            <html lang="\(language.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            \(refresh)<title>\(title) - \(name)</title>
            <meta name="color-scheme" content="light dark">
            <link rel="icon" href="data:,">
            <link rel="stylesheet" href="/_sim/style.css">
            \(own)</head>
            <body>
            <header class="banner"><p id="simulator-banner">\(banner)</p></header>
            <main>
            <h1>\(title)</h1>
            \(content)</main>
            </body>
            </html>

            """
    }

    /// Fields of everything that a browser loads.
    package static func fields(_ type: String, policy: String = "default-src 'none'; sandbox") -> [(String, String)] {
        [
            ("content-type", type), ("cache-control", "no-store"), ("content-security-policy", policy),
            ("x-content-type-options", "nosniff"), ("x-frame-options", "DENY"), ("referrer-policy", "same-origin"),
            ("x-robots-tag", "noindex"),
        ]
    }

    /// A form that is one button.
    ///
    /// - Parameter hidden: Names and values that go along.
    package func button(_ action: String, _ label: String, _ hidden: [(String, String)] = []) -> HTML {
        let inputs = hidden.map { name, value -> HTML in
            "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
        }
        return "<form method=\"post\" action=\"\(action)\">\(inputs)<button>\(label)</button></form>\n"
    }

    /// The style of every page.
    package static let css = """
        :root { color-scheme: light dark; --page: #f2f2f7; --ink: #111; --soft: #555b61; --line: #c9ccd1; --box: #fff; --focus: #1b6ac9; }
        @media (prefers-color-scheme: dark) {
          :root { --page: #121416; --ink: #eceef0; --soft: #aab1b8; --line: #3b4148; --box: #1d2024; --focus: #8ec5ff; }
        }
        * { box-sizing: border-box; }
        body { margin: 0; font: 16px/1.5 system-ui, -apple-system, "Hiragino Sans", "Noto Sans CJK JP", sans-serif;
          color: var(--ink); background: var(--page); overflow-wrap: anywhere; }
        .banner { padding: .5rem 1rem; background: #7a1f1f; color: #fff; text-align: center; font-weight: 700; }
        .banner p { margin: 0; }
        main { max-width: 60rem; margin: 1rem auto; padding: 0 1rem; }
        h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
        form { display: inline-block; margin: .2rem .4rem .2rem 0; }
        form.wide { display: flex; gap: .5rem; align-items: end; flex-wrap: wrap; }
        form.wide label { flex: 1 1 20rem; font-weight: 600; }
        input[type=url], input[type=text], input[type=number], select { display: block; width: 100%; padding: .6rem; font: inherit; color: var(--ink); background: var(--box);
          border: 1px solid var(--line); border-radius: 8px; }
        button { min-height: 44px; padding: .4rem 1rem; font: inherit; color: var(--ink); background: var(--box);
          border: 1px solid var(--line); border-radius: 10px; cursor: pointer; }
        button:focus-visible, a:focus-visible, input:focus-visible, summary:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
        a { color: var(--focus); }
        .table { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; font-size: .9rem; }
        th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
        td:nth-child(-n+3) { white-space: nowrap; }
        .facts, .complaint { padding: .6rem .8rem; background: var(--box); border: 1px solid var(--line); border-radius: 10px; }
        .complaint { border-color: #b12704; }
        code { font-size: .85em; }

        """
}
