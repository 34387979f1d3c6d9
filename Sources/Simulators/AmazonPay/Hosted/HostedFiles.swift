import SimulatorCore

/// The files beside the pages.
enum HostedFiles {
    /// The answer of a file; `nil` for a page.
    static func answer(_ route: HostedRoute) -> SimulatorAnswer? {
        switch route {
        case .checkoutScript: file("text/javascript; charset=utf-8", checkoutScript)
        case .handOffScript: file("text/javascript; charset=utf-8", handOffScript)
        case .style: file("text/css; charset=utf-8", style)
        default: nil
        }
    }

    private static func file(_ type: String, _ text: String) -> SimulatorAnswer {
        SimulatorAnswer(
            200,
            [
                ("content-type", type), ("cache-control", "no-cache"), ("x-content-type-options", "nosniff"),
                ("x-robots-tag", "noindex"), ("cross-origin-resource-policy", "cross-origin"),
            ],
            body: Array(text.utf8)
        )
    }

    private static let handOffScript = """
        document.addEventListener('DOMContentLoaded', function () {
          window.location.replace(document.getElementById('continue').href);
        });

        """

    private static let style = """
        :root { color-scheme: light; }
        * { box-sizing: border-box; }
        body { margin: 0; font: 16px/1.5 system-ui, -apple-system, "Hiragino Sans", "Noto Sans CJK JP", sans-serif;
          color: #0f1111; background: #f3f3f3; }
        .banner { margin: 0; padding: .6rem 1rem; background: #7a1f1f; color: #fff; text-align: center; font-weight: 700;
          text-wrap: balance; position: sticky; top: 0; z-index: 1; }
        main { width: calc(100% - 1.5rem); max-width: 30rem; margin: 1rem auto; padding: 1.25rem; background: #fff; border: 1px solid #d5d9d9;
          border-radius: 12px; }
        .brand { margin: 0 0 .5rem; font-weight: 800; font-size: 1.15rem; letter-spacing: -.02em; }
        .brand span { color: #b35900; }
        h1 { font-size: 1.4rem; margin: 0 0 1rem; }
        h2 { font-size: 1rem; margin: 1.5rem 0 .5rem; border-top: 1px solid #e7e7e7; padding-top: 1rem; }
        label { display: block; margin: .75rem 0 .25rem; font-weight: 600; }
        input[type=email], input[type=password], input:not([type]) { width: 100%; padding: .7rem; font: inherit;
          border: 1px solid #888c8c; border-radius: 6px; }
        button, a.main { display: block; width: 100%; margin: .75rem 0 0; padding: .8rem 1rem; min-height: 48px; font: inherit;
          font-weight: 600; text-align: center; text-decoration: none; border-radius: 24px; border: 1px solid #888c8c;
          background: #fff; color: #0f1111; cursor: pointer; }
        button.main, a.main { background: #ffd814; border-color: #c7a600; }
        button:focus-visible, a:focus-visible, input:focus-visible { outline: 3px solid #1b6ac9; outline-offset: 2px; }
        ul.choices { list-style: none; margin: 0; padding: 0; }
        button.choice { border-radius: 10px; text-align: left; margin-top: .5rem; padding: .6rem .9rem; }
        button.choice span { display: block; font-weight: 400; color: #565959; font-size: .9rem; }
        fieldset { border: 0; padding: 0; margin: 0 0 1rem; }
        legend { font-weight: 700; padding: 0; margin-bottom: .25rem; }
        label.option { display: flex; gap: .75rem; align-items: flex-start; margin: .4rem 0; padding: .7rem .8rem; font-weight: 400;
          border: 1px solid #d5d9d9; border-radius: 10px; }
        label.option:has(input:checked) { border-color: #b35900; background: #fff8ef; }
        label.option:has(input:disabled) { color: #6f7373; background: #f7f7f7; }
        .complaint { border: 1px solid #b12704; color: #b12704; padding: .7rem; border-radius: 8px; }
        .note { border: 1px solid #1b6ac9; padding: .7rem; border-radius: 8px; }
        dt { font-weight: 700; margin-top: .5rem; }
        dd { margin: 0; overflow-wrap: anywhere; }
        .spinner { width: 2.5rem; height: 2.5rem; margin: 1rem auto; border: 4px solid #e7e7e7; border-top-color: #b35900;
          border-radius: 50%; animation: turn 1s linear infinite; }
        @keyframes turn { to { transform: rotate(360deg); } }
        @media (prefers-reduced-motion: reduce) { .spinner { animation: none; } }

        """
}
