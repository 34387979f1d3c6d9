import SimulatorCore

/// Sends the browser back to the merchant in the way that the run asks for.
struct HandOff: Sendable {
    let language: HostedLanguage
    let redirect: SimulatorSwitches.Redirect

    /// The answer that leads to a URL which the merchant has signed.
    func answer(to url: String) -> SimulatorAnswer {
        switch redirect {
        case .http:
            return SimulatorAnswer(303, HostedFrame.fields("default-src 'none'") + [("location", url)])
        case .meta:
            return page(url, head: "<meta http-equiv=\"refresh\" content=\"0; url=\(url)\">\n")
        case .script:
            return page(url, head: "<script src=\"/ap/handoff.js\" defer></script>\n")
        case .tap:
            return page(url, head: "")
        }
    }

    private func page(_ url: String, head: HTML) -> SimulatorAnswer {
        let frame = HostedFrame(
            language: language,
            title: language.text("ストアに戻ります", "Returning to the store"),
            id: "page-handoff",
            head: head
        )
        return frame.answer(
            200,
            """
            <p class="spinner" aria-hidden="true"></p>
            <p><a id="continue" class="main" href="\(url)">\(language.text("ストアに進む", "Continue to the store"))</a></p>

            """
        )
    }
}
