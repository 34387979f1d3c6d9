import CheckoutCodes
import Pages
import SessionBroker
import Web

/// The error page.
struct ErrorView: Sendable {
    /// Which rule refused.
    let code: FailureCode
    /// What has become of the order.
    var progress = OrderProgress.unknown
    /// For the way back; `nil` where the client is not known.
    var client: ClientKind?
    /// Whether the jar holds the order's tab.
    var holdsTab = false
    /// Whether the jar holds a receipt.
    var holdsReceipt = false
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
    private let toResult: HTML
    private let wayBack: WayBack
    private let language: Language

    init(_ frame: CheckoutFrame) {
        let texts = frame.texts.errors
        wayBack = WayBack(frame)
        language = frame.texts.language
        toConfirm = Self.way(.confirm, texts.toConfirm)
        toButton = Self.way(.button, texts.toButton)
        toAddress = Self.way(.button, texts.toAddress)
        toResult = Self.way(.result, texts.toResult)
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
    func render(_ view: ErrorView) -> [UInt8] {
        let text = RefusalTable.text(of: view.code, view.progress)
        return template.render(room: 1024) { slot, writer in
            switch slot {
            case .code: writer.text(view.code.name)
            case .headline: writer.text(text.notice.headline.text(in: language))
            case .detail: writer.text(text.notice.detail.text(in: language))
            case .ways: writeWays(view, text.control, to: &writer)
            case .reference: wayBack.write(reference: view.reference, to: &writer)
            }
        }
    }

    private func writeWays(_ view: ErrorView, _ control: RefusalText.Control, to writer: inout HTMLWriter) {
        switch control {
        case .none, .receipt: break
        case .confirm: writer.html(toConfirm)
        case .button: writer.html(toButton)
        case .address: writer.html(toAddress)
        case .result: if view.holdsTab { writer.html(toResult) }
        }
        wayBack.write(receipt: view.holdsReceipt, to: &writer)
        // To whoever has ordered the cart is no way on.
        if view.client != .browser || !view.progress.isOrdered { wayBack.writeFromTab(view.client, to: &writer) }
        wayBack.writeHome(to: &writer)
    }

    private static func way(_ target: LinkTarget, _ text: Wording) -> HTML {
        HTML(
            """
            <p class="actions"><a id="retry" class="button button-main button-wide" href="\(target)">\(text)</a></p>

            """
        )
    }
}
