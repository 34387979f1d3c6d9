package import Pages
package import Primitives
package import Web

// The parts that the staff's pages are made of. Every text is escaped by the markup.

extension OperatorRequest {
    /// A form of the session, which carries its word.
    ///
    /// - Parameters:
    ///   - content: Fields and buttons.
    package func form(_ action: LinkTarget, _ content: Markup<Never>) -> Markup<Never> {
        """
        <form class="fields" method="post" action="\(action)">
        <input type="hidden" name="\(OperatorAccess.wordField)" value="\(session.token.formWord)">
        \(content)
        </form>
        """
    }

    /// A field of one line with its label.
    ///
    /// - Parameters:
    ///   - attributes: Written in the sources, for example `inputmode="numeric" required`.
    package func field(
        _ name: StaticString,
        _ label: Localized,
        value: String = "",
        hint: Localized? = nil,
        _ attributes: Markup<Never> = ""
    ) -> Markup<Never> {
        let id = "field-\(name)"
        let about: Markup<Never> = hint == nil ? "" : #" aria-describedby="\#(id)-hint""#
        let note: Markup<Never> =
            hint.map { #"<p class="note" id="\#(id)-hint">\#(text($0))</p>"# as Markup<Never> } ?? ""
        return """
            <div class="field">
            <label for="\(id)">\(text(label))</label>
            <input id="\(id)" name="\(name.description)" value="\(value)" autocomplete="off"\(about) \(attributes)>
            \(note)</div>
            """
    }

    /// The field for the reason of a decision.
    package func reasonField(isRequired: Bool) -> Markup<Never> {
        let label =
            isRequired
            ? OperatorTexts.reason
            : Localized(
                OperatorTexts.reason.japanese + OperatorTexts.optional.japanese,
                "\(OperatorTexts.reason.english) \(OperatorTexts.optional.english)"
            )
        return field(
            "reason",
            label,
            value: self["reason"] ?? "",
            hint: OperatorTexts.reasonHint,
            isRequired ? #"maxlength="200" required"# : #"maxlength="200""#
        )
    }

    /// The step before something that cannot be taken back: what happens, a reason, and the way back.
    package func confirmation(
        _ warning: Localized,
        button: Localized,
        action: LinkTarget,
        back: LinkTarget,
        hidden: KeyValuePairs<String, String> = [:]
    ) -> Markup<Never> {
        let kept = Markup<Never>(each: hidden) { name, value in
            #"<input type="hidden" name="\#(name)" value="\#(value)">"#
        }
        let content: Markup<Never> = """
            \(kept)\(reasonField(isRequired: true))
            <p class="choices"><button class="button button-danger" type="submit">\(text(button))</button>
            <a class="button button-quiet" href="\(back)">\(text(OperatorTexts.cancel))</a></p>
            """
        return """
            <section class="card">
            <p>\(text(warning))</p>
            \(form(action, content))
            </section>
            """
    }

    /// A search that leads to a page by its query.
    ///
    /// - Parameters:
    ///   - choices: Words of another parameter, with what they are called; none for no choice.
    package func search(
        _ path: LinkTarget,
        _ name: StaticString,
        _ label: Localized,
        value: String,
        choices: OperatorChoice? = nil
    ) -> Markup<Never> {
        """
        <form class="search" role="search" method="get" action="\(path)">
        <div class="field"><label for="search-\(name.description)">\(text(label))</label>
        <input id="search-\(name.description)" name="\(name.description)" type="search" value="\(value)" maxlength="100" \
        autocomplete="off"></div>
        \(choices.map { choice($0.name, $0.label, $0.options, chosen: $0.chosen) } ?? "")
        <button class="button" type="submit">\(text(OperatorTexts.search))</button>
        </form>
        """
    }

    /// A field with a few words to choose from.
    package func choice(
        _ name: StaticString,
        _ label: Localized,
        _ options: [OperatorChoice.Option],
        chosen: String
    ) -> Markup<Never> {
        let items = Markup<Never>(each: options) { option in
            let mark: Markup<Never> = option.word.octets == chosen.octets ? " selected" : ""
            return #"<option value="\#(option.word)"\#(mark)>\#(text(option.title))</option>"#
        }
        return """
            <div class="field"><label for="choice-\(name.description)">\(text(label))</label>
            <select id="choice-\(name.description)" name="\(name.description)">\(items)</select></div>
            """
    }

    /// A table; on a narrow screen each row stands as a block, with the headings before the values.
    ///
    /// - Parameters:
    ///   - title: What it is, for those who hear the page.
    ///   - rows: As many cells each as there are headings.
    package func table(
        _ title: Localized,
        _ headings: [Localized],
        _ rows: [[Markup<Never>]]
    ) -> Markup<Never> {
        guard !rows.isEmpty else { return #"<p class="card">\#(text(OperatorTexts.nothing))</p>"# }
        let head = Markup<Never>(each: headings) { #"<th scope="col" role="columnheader">\#(text($0))</th>"# }
        let body = Markup<Never>(each: rows) { row in
            let cells = Markup<Never>(each: zip(headings, row)) { heading, cell in
                #"<td role="cell" data-label="\#(text(heading))">\#(cell)</td>"#
            }
            return """
                <tr role="row">\(cells)</tr>

                """
        }
        return """
            <div class="card sheet">
            <table role="table" aria-label="\(text(title))">
            <thead role="rowgroup"><tr role="row">\(head)</tr></thead>
            <tbody role="rowgroup">
            \(body)</tbody></table>
            </div>
            """
    }

    /// Names and values, for one thing.
    package func facts(_ facts: [OperatorFact]) -> Markup<Never> {
        let items = Markup<Never>(each: facts) { fact in
            "<div><dt>\(text(fact.name))</dt><dd>\(fact.value)</dd></div>"
        }
        return #"<dl class="facts">\#(items)</dl>"#
    }

    /// Links to the first and to the next page of a list; `nil` where there is none.
    package func paging(first: LinkTarget?, next: LinkTarget?) -> Markup<Never> {
        guard first != nil || next != nil else { return .empty }
        let links = Markup<Never>(each: [(first, OperatorTexts.newer), (next, OperatorTexts.older)]) { target, title in
            target.map { #"<a class="button" href="\#($0)">\#(text(title))</a>"# as Markup<Never> } ?? ""
        }
        return """
            <nav class="paging" aria-label="\(text(OperatorTexts.pages))">\(links)</nav>
            """
    }

    /// A time to the minute, in UTC.
    package func time(_ time: WallTime) -> Markup<Never> {
        let text = CalendarDate(time).extendedText
        let shown = text.prefix(16).replacing("T", with: " ")
        return #"<time datetime="\#(text)">\#(String(shown)) UTC</time>"#
    }
}

/// A name and a value of a thing.
package struct OperatorFact {
    let name: Localized
    let value: Markup<Never>

    /// A value and what it is called.
    package init(_ name: Localized, _ value: Markup<Never>) {
        self.name = name
        self.value = value
    }
}

/// A parameter of a search that has a few words.
package struct OperatorChoice {
    /// A word, and what it is called.
    package struct Option {
        let word: String
        let title: Localized

        /// A word; an empty one stands for no parameter.
        package init(_ word: String, _ title: Localized) {
            self.word = word
            self.title = title
        }
    }

    let name: StaticString
    let label: Localized
    let options: [Option]
    let chosen: String

    /// A choice; the first word is the usual one.
    package init(
        _ name: StaticString,
        _ label: Localized,
        _ options: [Option],
        chosen: String
    ) {
        self.name = name
        self.label = label
        self.options = options
        self.chosen = chosen
    }
}
