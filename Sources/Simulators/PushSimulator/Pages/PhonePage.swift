import Primitives
import SimulatorCore

/// What the pages of phones have around their content.
struct PhonePage: Sendable {
    let language: PageLanguage
    let title: String
    /// A further style of this page alone.
    var style: String?
    /// Whether the browser loads it again every two seconds.
    var isWatched = false

    func answer(_ status: Int, _ content: HTML) -> SimulatorAnswer {
        SimulatorAnswer(
            status,
            PhonePage.fields(
                "text/html; charset=utf-8",
                policy: "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; "
                    + "base-uri 'none'; frame-ancestors 'none'"
            ),
            body: page(content).bytes
        )
    }

    private func page(_ content: HTML) -> HTML {
        let banner = language.text("シミュレーターです。本物の iPhone ではありません。", "Simulator: these are no real phones.")
        let own: HTML = style.map { "<link rel=\"stylesheet\" href=\"\($0)\">\n" } ?? ""
        let refresh: HTML = isWatched ? "<meta http-equiv=\"refresh\" content=\"2\">\n" : ""
        return """
            <!DOCTYPE html>
            <html lang="\(language.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            \(refresh)<title>\(title) - Wallet simulator</title>
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
    static func fields(_ type: String, policy: String = "default-src 'none'; sandbox") -> [(String, String)] {
        [
            ("content-type", type), ("cache-control", "no-store"), ("content-security-policy", policy),
            ("x-content-type-options", "nosniff"), ("x-frame-options", "DENY"), ("referrer-policy", "same-origin"),
            ("x-robots-tag", "noindex"),
        ]
    }

    /// A form that is one button.
    ///
    /// - Parameter hidden: Names and values that go along.
    func button(_ action: String, _ label: String, _ hidden: [(String, String)] = []) -> HTML {
        let inputs = hidden.map { name, value -> HTML in
            "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
        }
        return "<form method=\"post\" action=\"\(action)\">\(inputs)<button>\(label)</button></form>\n"
    }

    static let css = """
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
        input[type=url] { display: block; width: 100%; padding: .6rem; font: inherit; color: var(--ink); background: var(--box);
          border: 1px solid var(--line); border-radius: 8px; }
        button { min-height: 44px; padding: .4rem 1rem; font: inherit; color: var(--ink); background: var(--box);
          border: 1px solid var(--line); border-radius: 10px; cursor: pointer; }
        button:focus-visible, a:focus-visible, input:focus-visible, summary:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
        a { color: var(--focus); }
        .table { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; font-size: .9rem; }
        th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
        td:nth-child(-n+3) { white-space: nowrap; }
        @media (max-width: 45rem) {
          #timeline, #timeline tbody { display: block; }
          #timeline tr { display: flex; flex-wrap: wrap; gap: .1rem .8rem; padding: .4rem 0; border-bottom: 1px solid var(--line); }
          #timeline td { padding: 0; border: 0; white-space: normal; }
        }
        .facts, .complaint { padding: .6rem .8rem; background: var(--box); border: 1px solid var(--line); border-radius: 10px; }
        .complaint { border-color: #b12704; }
        code { font-size: .85em; }
        .cards { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start; }
        .slot { width: 22rem; max-width: 100%; }
        .card { border-radius: 14px; overflow: hidden; background: #444; color: #fff; box-shadow: 0 2px 8px rgb(0 0 0 / .3); }
        .card dl { display: flex; gap: 1rem; margin: 0; padding: .4rem 1rem; flex-wrap: wrap; }
        .card dl > div { flex: 1 1 auto; min-width: 0; }
        .card dt { font-size: .7rem; font-weight: 600; text-transform: uppercase; }
        .card dd { margin: 0; font-size: 1.1rem; }
        .card .primary dd { font-size: 1.9rem; line-height: 1.2; }
        .card .top { display: flex; justify-content: space-between; align-items: center; padding: .7rem 1rem .2rem; gap: .5rem; }
        .card .top dl { padding: 0; text-align: right; }
        .card .top b { flex: 1; }
        .card .logo { max-height: 40px; max-width: 150px; }
        .card .strip { display: block; width: 100%; }
        .card .thumbnail { max-height: 90px; margin: .4rem 1rem; }
        .card .code { margin: .8rem auto 1rem; padding: .6rem; width: fit-content; max-width: 90%; background: #fff; color: #111;
          border-radius: 8px; text-align: center; font-size: .8rem; }
        .card .code svg { display: block; width: min(9rem, 100%); aspect-ratio: 1; margin: 0 auto .3rem; }
        .card details { padding: .4rem 1rem 1rem; }
        .card summary { padding: .7rem 0; }
        .card details dl { display: block; padding: 0; }
        .card details dd { white-space: pre-line; font-size: .95rem; margin-bottom: .5rem; }
        .card .changed { outline: 2px dashed currentColor; outline-offset: 3px; }
        .card dl dd.message { font-size: .85rem; font-weight: 600; line-height: 1.4; }
        .card .void { margin: 0; padding: .4rem 1rem; background: #b12704; color: #fff; font-weight: 700; text-align: center; }

        """
}
