import SimulatorCore

extension SimulatorPage {
    /// A page about phones.
    init(language: PageLanguage, title: String, style: String? = nil, isWatched: Bool = false) {
        self.init(
            language: language,
            title: title,
            banner: language.text("シミュレーターです。本物の iPhone ではありません。", "Simulator: these are no real phones."),
            name: "Wallet simulator",
            style: style,
            isWatched: isWatched
        )
    }

    /// The style of phones and cards.
    static let phoneCSS =
        css + """
            @media (max-width: 45rem) {
              #timeline, #timeline tbody { display: block; }
              #timeline tr { display: flex; flex-wrap: wrap; gap: .1rem .8rem; padding: .4rem 0; border-bottom: 1px solid var(--line); }
              #timeline td { padding: 0; border: 0; white-space: normal; }
            }
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

extension PageLanguage {
    /// Languages of passes by preference.
    var ofPasses: [String] { self == .japanese ? ["ja", "en"] : ["en", "ja"] }
}
