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
        :root { color-scheme: light dark; --page: #f3f3f3; --card: #fff; --ink: #0f1111; --soft: #565959; --line: #d5d9d9; --edge: #888c8c;
          --banner: #7a1f1f; --brand: #b35900; --tint: #fff8ef; --off: #f7f7f7; --off-ink: #6f7373; --bad: #b12704; --focus: #1b6ac9; }
        @media (prefers-color-scheme: dark) {
          :root { --page: #131719; --card: #1d2225; --ink: #e9edee; --soft: #b0b8bb; --line: #3a4347; --edge: #818b90; --banner: #8c2626;
            --brand: #ffb454; --tint: #332a1b; --off: #22282b; --off-ink: #98a1a5; --bad: #ff9d8a; --focus: #8ec5ff; }
        }
        * { box-sizing: border-box; }
        body { margin: 0; font: 16px/1.5 system-ui, -apple-system, "Hiragino Sans", "Noto Sans CJK JP", sans-serif;
          color: var(--ink); background: var(--page); overflow-wrap: anywhere; }
        :lang(ja) body { word-break: auto-phrase; }
        .banner { padding: .6rem 1rem; background: var(--banner); color: #fff; text-align: center; font-weight: 700;
          position: sticky; top: 0; z-index: 1; }
        .banner p { margin: 0; text-wrap: balance; }
        main { width: calc(100% - 1.5rem); max-width: 30rem; margin: 1rem auto; padding: 1.25rem; background: var(--card);
          border: 1px solid var(--line); border-radius: 12px; }
        .brand { margin: 0 0 .5rem; font-weight: 800; font-size: 1.15rem; letter-spacing: -.02em; }
        .brand span { color: var(--brand); }
        h1 { font-size: 1.4rem; margin: 0 0 1rem; }
        h2 { font-size: 1rem; margin: 1.5rem 0 .5rem; border-top: 1px solid var(--line); padding-top: 1rem; }
        label { display: block; margin: .75rem 0 .25rem; font-weight: 600; }
        input[type=email], input[type=password], input:not([type]) { width: 100%; padding: .7rem; font: inherit; color: var(--ink);
          background: var(--card); border: 1px solid var(--edge); border-radius: 6px; }
        button, a.main { display: block; width: 100%; margin: .75rem 0 0; padding: .8rem 1rem; min-height: 48px; font: inherit;
          font-weight: 600; text-align: center; text-decoration: none; border-radius: 24px; border: 1px solid var(--edge);
          background: var(--card); color: var(--ink); cursor: pointer; }
        button.main, a.main { background: #ffd814; border-color: #c7a600; color: #0f1111; }
        button:focus-visible, a:focus-visible, input:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
        ul.choices { list-style: none; margin: 0; padding: 0; }
        button.choice { border-radius: 10px; text-align: left; margin-top: .5rem; padding: .6rem .9rem; }
        button.choice span { display: block; font-weight: 400; color: var(--soft); font-size: .9rem; }
        fieldset { border: 0; padding: 0; margin: 0 0 1rem; }
        legend { font-weight: 700; padding: 0; margin-bottom: .25rem; }
        label.option { display: flex; gap: .75rem; align-items: flex-start; margin: .4rem 0; padding: .7rem .8rem; font-weight: 400;
          border: 1px solid var(--line); border-radius: 10px; }
        label.option:has(input:checked) { border-color: var(--brand); background: var(--tint); }
        label.option:has(input:disabled) { color: var(--off-ink); background: var(--off); }
        .complaint { border: 1px solid var(--bad); color: var(--bad); padding: .7rem; border-radius: 8px; }
        .note { border: 1px solid var(--focus); padding: .7rem; border-radius: 8px; }
        dt { font-weight: 700; margin-top: .5rem; }
        dd { margin: 0; }
        .spinner { width: 2.5rem; height: 2.5rem; margin: 1rem auto; border: 4px solid var(--line); border-top-color: var(--brand);
          border-radius: 50%; animation: turn 1s linear infinite; }
        @keyframes turn { to { transform: rotate(360deg); } }
        @media (prefers-reduced-motion: reduce) { .spinner { animation: none; } }

        """
}
