import Pages
import SessionBroker
import Web

/// The error page.
struct ErrorView: Sendable {
    /// What the page offers first.
    enum Way: Sendable {
        /// Nothing but the way back.
        case none
        /// The confirm page again.
        case confirm
        /// The button page again.
        case button
        /// The button page, to choose another address.
        case address
    }

    /// What happened.
    let code: FailureCode
    /// For the way back; `nil` where the client is not known.
    var client: ClientKind?
    /// What the page offers first.
    var way = Way.none
    /// The number for inquiries: of the order that it would have been, or of the request; never a token.
    var reference: String?
}

/// The error page of one language.
///
/// Policy: `plain`.
struct ErrorPage: Sendable {
    private enum PageSlot {
        case code
        case headline
        case detail
        case ways
        case reference
    }

    private let template: Template<PageSlot>
    private let toConfirm: HTML
    private let toButton: HTML
    private let toAddress: HTML
    private let wayBack: WayBack
    private let language: Language

    init(_ frame: CheckoutFrame) {
        let texts = frame.texts.errors
        wayBack = WayBack(frame.texts)
        language = frame.texts.language
        toConfirm = Self.way(.confirm, texts.toConfirm)
        toButton = Self.way(.button, texts.toButton)
        toAddress = Self.way(.button, texts.toAddress)
        template = frame.document(
            Head(title: "\(.headline)", error: "\(.code)"),
            """
            <section class="card hero">
            <h1>\(.headline)</h1>
            <p id="detail">\(.detail)</p>
            \(.ways)\(.reference)</section>
            """
        )
    }

    /// Writes the page.
    ///
    /// - Parameter view: What happened, and the ways on.
    /// - Returns: The document.
    func render(_ view: ErrorView) -> [UInt8] {
        template.render(room: 1024) { slot, writer in
            switch slot {
            case .code: writer.text(view.code.name)
            case .headline: writer.text(view.code.notice.headline.text(in: language))
            case .detail: writer.text(view.code.notice.detail.text(in: language))
            case .ways: writeWays(view, to: &writer)
            case .reference: wayBack.write(reference: view.reference, to: &writer)
            }
        }
    }

    private func writeWays(_ view: ErrorView, to writer: inout HTMLWriter) {
        switch view.way {
        case .none: break
        case .confirm: writer.html(toConfirm)
        case .button: writer.html(toButton)
        case .address: writer.html(toAddress)
        }
        wayBack.writeFromTab(view.client, to: &writer)
    }

    private static func way(_ target: LinkTarget, _ text: Wording) -> HTML {
        HTML(
            """
            <p class="actions"><a id="retry" class="button button-main button-wide" href="\(target)">\(text)</a></p>

            """
        )
    }
}
