#if canImport(SafariServices) && canImport(UIKit)
import SafariServices
import UIKit

/// The secure tab of iOS: a browser that shares no cookie with the app.
@MainActor
public final class SecureTab: NSObject, SFSafariViewControllerDelegate {
    private let closed: @MainActor () -> Void
    private weak var shown: SFSafariViewController?

    /// A tab that is not open yet.
    ///
    /// - Parameter closed: Called when the buyer closes it, which says nothing of what happened in it.
    public init(closed: @escaping @MainActor () -> Void) {
        self.closed = closed
    }

    /// Opens the tab.
    ///
    /// - Parameters:
    ///   - launch: From ``Checkout``; kept by it before this is called.
    public func open(_ launch: Launch, from presenter: UIViewController) {
        let tab = SFSafariViewController(url: launch.url)
        tab.delegate = self
        shown = tab
        presenter.present(tab, animated: true)
    }

    /// Closes the tab, when the return link has come.
    public func close() {
        shown?.dismiss(animated: true)
        shown = nil
    }

    /// The buyer has closed it.
    public func safariViewControllerDidFinish(_ controller: SFSafariViewController) {
        shown = nil
        closed()
    }
}
#endif
