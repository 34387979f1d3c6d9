import SallyportClient
import UIKit
import WebKit

/// The cart in a web view: its page begins and completes the purchase, the app opens the tab and brings the return link.
final class CartViewController: UIViewController, WKNavigationDelegate {
    private let configuration: CheckoutConfiguration
    private let store: FileCheckoutStore
    private let webView = WKWebView(frame: .zero, configuration: WKWebViewConfiguration())
    private lazy var bridge = WebViewBridge(configuration) { [weak self] ticket in self?.open(ticket) }
    private lazy var checkout = Checkout(configuration, completion: .page(bridge), store: store)
    /// A tab that was closed says nothing; the cart stays as it is.
    private let tab = SecureTab {}
    /// A link that waits until the cart page is there.
    private var link: String?

    init() throws {
        guard let web = URL(string: "https://pay.example.com"), let links = URL(string: "https://pay-links.example.com")
        else { throw CheckoutError("no origin") }
        configuration = try CheckoutConfiguration(webOrigin: web, linkOrigin: links, client: .iosApp)
        store = try .onDevice()
        super.init(nibName: nil, bundle: nil)
        title = "Cart"
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) { nil }

    override func loadView() {
        view = webView
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        bridge.attach(to: webView)
        webView.navigationDelegate = self
        showCart()
        Task { [weak self, checkout] in
            for await state in await checkout.states() { self?.show(state) }
        }
    }

    /// Takes a link that has opened the app.
    func receive(_ link: String) {
        self.link = link
        guard !webView.isLoading else { return }
        if isCart { deliver() } else { showCart() }
    }

    private func open(_ ticket: LaunchTicket) {
        Task {
            do {
                try await checkout.open(ticket)
            } catch {
                ask("The checkout could not be kept.", nil)
            }
        }
    }

    /// Hands the link in, or goes on with what was under way when the app ended.
    private func deliver() {
        let link = link
        self.link = nil
        Task {
            do {
                if let link { try await checkout.receive(link) } else { try await checkout.resume() }
            } catch is ReturnLinkRefusal {
                // Anybody can send a link. The checkout is as it was.
            } catch {
                ask("The checkout could not be read.", nil)
            }
        }
    }

    private func show(_ state: CheckoutState) {
        switch state {
        case .opening(let launch): tab.open(launch, from: self)
        // Only a link that belongs to this checkout takes the tab away.
        case .completing: tab.close()
        case .failed: ask("There is no connection. Nothing is lost.", "Try again")
        default: break  // The pages tell the buyer.
        }
    }

    private func ask(_ text: String, _ again: String?) {
        let alert = UIAlertController(title: text, message: nil, preferredStyle: .alert)
        alert.addAction(UIAlertAction(title: "Close", style: .cancel))
        if let again {
            alert.addAction(UIAlertAction(title: again, style: .default) { [weak self] _ in self?.showCart() })
        }
        present(alert, animated: true)
    }

    // MARK: The web view

    private var isCart: Bool { webView.url?.absoluteString.hasPrefix(configuration.cartURL.absoluteString) == true }

    private func showCart() {
        webView.load(URLRequest(url: configuration.cartURL))
    }

    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
        guard let url = webView.url else { return }
        if isCart { deliver() }
        Task { try await checkout.pageArrived(at: url) }
    }

    /// Pages of the shop alone; what else the buyer taps, such as its terms on another host, opens in the browser.
    func webView(_ webView: WKWebView, decidePolicyFor action: WKNavigationAction) async -> WKNavigationActionPolicy {
        guard let url = action.request.url else { return .cancel }
        if url.absoluteString.hasPrefix(configuration.webOrigin.absoluteString + "/") { return .allow }
        if action.navigationType == .linkActivated { await UIApplication.shared.open(url) }
        return .cancel
    }

    func webView(
        _ webView: WKWebView,
        didFailProvisionalNavigation navigation: WKNavigation!,
        withError error: any Error
    ) {
        // Anything else was ended here: by a newer load, or because it leads elsewhere.
        let codes: [URLError.Code] = [
            .notConnectedToInternet, .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost,
        ]
        guard let code = (error as? URLError)?.code, codes.contains(code) else { return }
        ask("There is no connection.", "Try again")
    }

    func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
        showCart()
    }
}
