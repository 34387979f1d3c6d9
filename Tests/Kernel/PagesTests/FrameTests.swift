import HTTPCore
import Pages
import Testing
import Web

/// What surrounds the pages of any feature.
@Suite struct `A frame` {
    @Test func `escapes the shop's name wherever it stands`() {
        let page = text(Samples.frame(.ja).document(Head<Never>(title: "t"), "c"))
        #expect(
            page.contains("<title>t | &lt;b&gt;&amp;&quot;</title>")
                && page.contains("<span>&lt;b&gt;&amp;&quot;</span>")
        )
        #expect(!page.contains("<b>"))
    }

    @Test func `has a notice and links only where there are some`() throws {
        let target = try #require(LinkTarget("https://shop.example/?a&b"))
        let bare = text(Samples.frame(.en).document(Head<Never>(title: "t"), "c"))
        #expect(!bare.contains("demo") && !bare.contains("policies") && bare.contains("<p>Come again</p></footer>"))
        let frame = Samples.frame(.en, notice: "<Test>", links: [Frame.Link("Terms", target)])
        let full = text(frame.document(Head<Never>(title: "t"), "c"))
        #expect(full.contains(#"<p class="demo">&lt;Test&gt;</p>"#))
        #expect(full.contains(#"<li><a rel="noreferrer" href="https://shop.example/?a&amp;b">Terms</a></li>"#))
    }

    @Test(arguments: 0..<3) func `says which step is the present one`(present: Int) {
        let steps = Steps("Way", ["one", "two", "three"], present: present)
        let page = text(Samples.frame(.en).document(Head<Never>(title: "t", steps: steps), "c"))
        let classes = page.split(separator: #"<li class="step"#).dropFirst().map { $0.prefix { $0 != "\"" } }
        #expect(
            classes.map { $0.trimmed } == (0..<3).map { $0 == present ? "step-now" : $0 < present ? "step-past" : "" }
        )
    }

    @Test func `gives its scripts the nonce, and waits for none of another host`() throws {
        enum Slot { case nonce }
        let foreign = try #require(LinkTarget("https://pay.example/a.js"))
        let scripts: [Head<Slot>.Script] = [.foreign(foreign), .file(.mark)]
        let template = Samples.frame(.en).document(Head(title: "t", scripts: scripts, nonce: "\(.nonce)"), "c")
        let page = String(
            decoding: template.render(room: 64) { (_: Slot, writer: inout HTMLWriter) in writer.nonce(Samples.nonce) },
            as: UTF8.self
        )
        let nonce = Samples.nonce.text
        #expect(page.contains(#"<script nonce="\#(nonce)" src="https://pay.example/a.js" async></script>"#))
        #expect(
            page.contains(#"<script nonce="\#(nonce)" src="/static/img/mark.abababababababab.svg" defer></script>"#)
        )
    }

    private func text(_ template: Template<Never>) -> String { String(decoding: template.bytes, as: UTF8.self) }
}

extension Substring {
    fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
