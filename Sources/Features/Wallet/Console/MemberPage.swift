import HTTPCore
import Operators
import Pages
import Primitives
import Web

extension OperatorRequest {
    /// The page of a member.
    ///
    /// - Parameters:
    ///   - problem: What was wrong with a form.
    ///   - link: A link that was just made.
    func memberPage(
        _ member: MemberView,
        problem: Localized? = nil,
        status: HTTPStatus = .ok,
        link: String? = nil
    ) -> OperatorPage {
        let facts = [
            OperatorFact(ConsoleTexts.number, "\(member.externalID)"),
            OperatorFact(ConsoleTexts.state, "\(text(ConsoleTexts.state(member.state)))"),
            OperatorFact(ConsoleTexts.points, "\(String(member.points))"),
            OperatorFact(ConsoleTexts.account, "<code>\(member.account.description)</code>"),
            fact(ConsoleTexts.created, member.created), fact(ConsoleTexts.ended, member.ended),
        ].compactMap(\.self)
        return OperatorPage(
            member.title,
            problem: problem.map { text($0) },
            status: status,
            """
            \(link.map { shown($0) } ?? "")
            <section class="card">\(self.facts(facts))<p class="note">\(text(ConsoleTexts.hint(member.state)))</p></section>
            \(mayChange && member.isOpen ? actions(member) : "")
            \(Markup(each: member.passes) { section($0) })
            """
        )
    }

    private func fact(_ name: Localized, _ at: WallTime?) -> OperatorFact? { at.map { OperatorFact(name, time($0)) } }

    private func shown(_ link: String) -> Markup<Never> {
        """
        <section class="card"><h2>\(text(ConsoleTexts.link))</h2>
        <p><code>\(link)</code></p>
        <p class="note">\(text(ConsoleTexts.linkShown))</p></section>
        """
    }

    private func actions(_ member: MemberView) -> Markup<Never> {
        let account = member.account.description
        let points = form(
            .operators("/console/wallet/members/*/points", account),
            """
            \(field("number", ConsoleTexts.points, value: self["number"] ?? "", hint: ConsoleTexts.pointsHint, #"inputmode="numeric" maxlength="9" required"#))
            \(choice("how", ConsoleTexts.how, [OperatorChoice.Option("set", ConsoleTexts.set), OperatorChoice.Option("add", ConsoleTexts.add), OperatorChoice.Option("subtract", ConsoleTexts.subtract)], chosen: self["how"] ?? "set"))
            \(reasonField(isRequired: false))
            <p class="choices"><button class="button button-main" type="submit">\(text(ConsoleTexts.change))</button></p>
            """
        )
        return """
            <section class="card"><h2>\(text(ConsoleTexts.changePoints))</h2>
            \(points)</section>
            <section class="card"><h2>\(text(ConsoleTexts.link))</h2>
            <p class="note">\(text(ConsoleTexts.renewHint))</p>
            \(button(.operators("/console/wallet/members/*/link", account), ConsoleTexts.renewLink))
            <h2>\(text(ConsoleTexts.push))</h2>
            <p class="note">\(text(ConsoleTexts.pushHint))</p>
            \(button(.operators("/console/wallet/members/*/push", account), ConsoleTexts.pushAgain))
            <p class="choices"><a class="button button-danger" href="\(LinkTarget.operators("/console/wallet/members/*/end", account))">\
            \(text(ConsoleTexts.endMembership))</a></p></section>
            """
    }

    private func button(_ action: LinkTarget, _ title: Localized) -> Markup<Never> {
        form(action, #"<p class="choices"><button class="button" type="submit">\#(text(title))</button></p>"#)
    }

    private func section(_ pass: PassView) -> Markup<Never> {
        let facts = [
            OperatorFact(ConsoleTexts.serial, "<code>\(pass.serial)</code>"),
            OperatorFact(ConsoleTexts.template, "\(pass.template)"),
            OperatorFact(ConsoleTexts.state, "\(text(ConsoleTexts.state(pass.state)))"),
            OperatorFact(ConsoleTexts.version, "\(text(ConsoleTexts.versions(pass)))"),
            OperatorFact(
                ConsoleTexts.linkOpened,
                pass.linkOpened.map { time($0) } ?? "\(text(ConsoleTexts.neverOpened))"
            ), fact(ConsoleTexts.registered, pass.registered), fact(ConsoleTexts.lastRegistered, pass.lastRegistered),
            fact(ConsoleTexts.fetched, pass.fetched),
        ].compactMap(\.self)
        return """
            <section class="card"><h2>\(text(ConsoleTexts.pass)) \(pass.type)</h2>\(self.facts(facts))</section>
            \(phones(pass))\(happenings(ConsoleTexts.history, pass.history))\(happenings(ConsoleTexts.errors, pass.errors))
            """
    }

    private func phones(_ pass: PassView) -> Markup<Never> {
        guard !pass.phones.isEmpty else { return .empty }
        let rows = pass.phones.map { phone -> [Markup<Never>] in
            [
                "<code>\(phone.device)</code>", phone.registered.map { time($0) } ?? "",
                phone.seen.map { time($0) } ?? "", phone.pushed.map { time($0) } ?? "",
                phone.pushed == nil ? "" : "\(text(ConsoleTexts.push(phone.pushStatus, phone.pushReason)))",
            ]
        }
        let headings = [
            ConsoleTexts.phone, ConsoleTexts.registered, ConsoleTexts.seen, ConsoleTexts.pushed,
            ConsoleTexts.pushAnswer,
        ]
        return titled(ConsoleTexts.phones, headings, rows)
    }

    private func happenings(_ title: Localized, _ happenings: [HappeningView]) -> Markup<Never> {
        guard !happenings.isEmpty else { return .empty }
        let rows = happenings.map { happening -> [Markup<Never>] in
            [
                happening.at.map { time($0) } ?? "", "\(text(ConsoleTexts.kind(happening.kind)))",
                happening.device.isEmpty ? "" : "<code>\(happening.device)</code>", "\(happening.detail)",
            ]
        }
        let headings = [ConsoleTexts.time, ConsoleTexts.event, ConsoleTexts.phone, ConsoleTexts.detail]
        return titled(title, headings, rows)
    }

    private func titled(_ title: Localized, _ headings: [Localized], _ rows: [[Markup<Never>]]) -> Markup<Never> {
        """
        <h2>\(text(title))</h2>
        \(table(title, headings, rows))
        """
    }

    /// The step before the end of a membership.
    func endPage(_ member: MemberView, problem: Localized? = nil) -> OperatorPage {
        OperatorPage(
            "\(text(ConsoleTexts.endMembership)): \(member.title)",
            problem: problem.map { text($0) },
            status: problem == nil ? .ok : .badRequest,
            confirmation(
                ConsoleTexts.endWarning,
                button: ConsoleTexts.endMembership,
                action: .operators("/console/wallet/members/*/end", member.account.description),
                back: MemberView.address(member.account)
            )
        )
    }
}

/// What a form asks to be done with points.
enum PointsForm {
    /// The number of the form, negative where it is taken off; `nil` for anything but a whole number from 0 to 999999999.
    static func number(_ text: String?, how: String?) -> (number: Int, isSum: Bool)? {
        guard let text, let number = DecimalDigits.parse(text.utf8.span, limit: 999_999_999) else { return nil }
        if how?.octets == "set" { return (number, false) }
        if how?.octets == "add" { return (number, true) }
        return how?.octets == "subtract" ? (-number, true) : nil
    }
}
