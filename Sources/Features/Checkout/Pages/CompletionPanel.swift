import Pages

/// What `purchase.js` works on: a title, a text, a way to try again and a way back.
enum CompletionPanel {
    /// The panel as a cover over the whole page, hidden until the script shows it.
    static func cover<Slot>(_ texts: Texts, back: LinkTarget) -> Markup<Slot> {
        """
        <div id="filter" class="cover" role="dialog" aria-modal="true" aria-labelledby="filter_title" hidden>
        <div class="card hero">
        <div id="filter_spinner" class="spinner" aria-hidden="true"></div>
        <h2 id="filter_title" tabindex="-1">\(texts.completion.workingTitle)</h2>
        <p id="filter_text" role="status">\(texts.completion.working)</p>
        <p class="bar-sum" hidden><span>\(texts.order.total)</span> <strong id="filter_total"></strong></p>
        <p class="order-number"><span>\(texts.thanks.orderNumber)</span> <strong id="filter_number"></strong></p>
        <p class="actions"><button type="button" id="filter_retry" class="button button-main" hidden>\
        \(texts.completion.retry)</button>
        <a id="filter_back" class="button" href="\(back)" hidden>\(texts.completion.back)</a></p>
        </div>
        </div>
        """
    }

    /// Adds the script's texts to a page's data.
    static func addTexts(_ texts: CompletionTexts, to data: inout JSONBlock) {
        data.add("completion") { table in
            table.add("workingTitle", texts.workingTitle)
            table.add("working", texts.working)
            table.add("waitingTitle", texts.waitingTitle)
            table.add("waiting", texts.waiting)
            table.add("stillWaiting", texts.stillWaiting)
            table.add("check", texts.check)
            table.add("offlineTitle", texts.offlineTitle)
            table.add("offline", texts.offline)
            table.add("retry", texts.retry)
            table.add("continueTitle", texts.continueTitle)
            table.add("continue", texts.continueText)
            table.add("continueButton", texts.continueButton)
            table.add("doneTitle", texts.doneTitle)
            table.add("done", texts.done)
            table.add("showReceipt", texts.showReceipt)
            table.add("declinedTitle", texts.declinedTitle)
            table.add("declined", texts.declined)
            table.add("proofTitle", texts.proofTitle)
            table.add("proof", texts.proof)
            table.add("endedTitle", texts.endedTitle)
            table.add("ended", texts.ended)
            table.add("changedTitle", texts.changedTitle)
            table.add("changed", texts.changed)
            table.add("failedTitle", texts.failedTitle)
            table.add("failed", texts.failed)
        }
    }
}
