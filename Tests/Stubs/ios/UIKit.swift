// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// The documents of the framework say what each declaration does.
@_exported import Foundation

#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif

/// As on iOS, as far as the adapters use it.
@MainActor open class UIResponder: NSObject {}

@MainActor open class UIWindow: UIResponder {}

@MainActor open class UIViewController: UIResponder {
    public func present(_ other: UIViewController, animated: Bool, completion: (() -> Void)? = nil) {}
    public func dismiss(animated: Bool, completion: (() -> Void)? = nil) {}
}

public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"

open class NSUserActivity: NSObject {
    public let activityType: String
    public var webpageURL: URL?
    public init(activityType: String) { self.activityType = activityType }
}
