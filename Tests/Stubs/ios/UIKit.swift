// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// The documents of the framework say what each declaration does.
@_exported import Foundation

#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif

/// As on iOS, as far as the adapters use it.
@MainActor open class UIResponder: NSObject {}

@MainActor open class UIView: UIResponder {}

@MainActor open class UIWindow: UIView {
    public var rootViewController: UIViewController?
    public init(windowScene: UIWindowScene) {}
    public func makeKeyAndVisible() {}
}

@MainActor open class UIViewController: UIResponder {
    public var view: UIView?
    public var title: String?
    public init(nibName: String?, bundle: Bundle?) {}
    public required init?(coder: NSCoder) {}
    open func loadView() {}
    open func viewDidLoad() {}
    public func present(_ other: UIViewController, animated: Bool, completion: (() -> Void)? = nil) {}
    public func dismiss(animated: Bool, completion: (() -> Void)? = nil) {}
}

@MainActor open class UITabBarController: UIViewController {
    public var viewControllers: [UIViewController]?
    public var selectedIndex = 0
}

@MainActor open class UILabel: UIView {
    public var text: String?
}

@MainActor open class UIStackView: UIView {
    public var axis = NSLayoutConstraint.Axis.horizontal
    public var spacing = 0.0
    public func addArrangedSubview(_ view: UIView) {}
}

@MainActor open class NSLayoutConstraint: NSObject {
    public enum Axis { case horizontal, vertical }
}

@MainActor open class UIAction: NSObject {
    public convenience init(handler: @escaping @MainActor (UIAction) -> Void) { self.init() }
}

@MainActor open class UIControl: UIView {
    public struct Event: Sendable { public static let touchUpInside = Event() }
    public struct State: Sendable { public static let normal = State() }
    public func addAction(_ action: UIAction, for event: Event) {}
}

@MainActor open class UIButton: UIControl {
    public enum ButtonType { case system }
    public convenience init(type: ButtonType) { self.init() }
    public func setTitle(_ title: String?, for state: UIControl.State) {}
}

@MainActor open class UIAlertAction: NSObject {
    public enum Style { case `default`, cancel }
    public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {}
}

@MainActor open class UIAlertController: UIViewController {
    public enum Style { case alert }
    public convenience init(title: String?, message: String?, preferredStyle: Style) {
        self.init(nibName: nil, bundle: nil)
    }
    public func addAction(_ action: UIAlertAction) {}
}

// An app and its scenes.

@MainActor open class UIApplication: UIResponder {
    public static let shared = UIApplication()
    @discardableResult public func open(_ url: URL) async -> Bool { false }
}

@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {}

extension UIApplicationDelegate {
    public static func main() {}
}

@MainActor open class UIScene: UIResponder {
    @MainActor open class ConnectionOptions: NSObject {
        public var userActivities: Set<NSUserActivity> { [] }
    }
}

@MainActor open class UIWindowScene: UIScene {}

@MainActor open class UISceneSession: NSObject {}

@MainActor public protocol UISceneDelegate: NSObjectProtocol {
    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions)
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity)
}

@MainActor public protocol UIWindowSceneDelegate: UISceneDelegate {
    var window: UIWindow? { get set }
}

public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"

open class NSUserActivity: NSObject {
    public let activityType: String
    public var webpageURL: URL?
    public init(activityType: String) { self.activityType = activityType }
}
