@_exported import UIKit

/// As on iOS, as far as the adapters use it.
@MainActor public protocol SFSafariViewControllerDelegate: NSObjectProtocol {
    func safariViewControllerDidFinish(_ controller: SFSafariViewController)
}

@MainActor open class SFSafariViewController: UIViewController {
    public weak var delegate: (any SFSafariViewControllerDelegate)?
    public init(url: URL) {}
}
