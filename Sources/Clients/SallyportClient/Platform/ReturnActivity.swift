#if canImport(UIKit)
import Foundation
import UIKit

extension Checkout {
    /// The link of an activity that has opened the app; `nil` where it is no universal link.
    ///
    /// - Parameter activity: From `scene(_:continue:)` or `onContinueUserActivity`.
    /// - Returns: What ``receive(_:)`` takes.
    public static func link(of activity: NSUserActivity) -> String? {
        guard activity.activityType == NSUserActivityTypeBrowsingWeb else { return nil }
        return activity.webpageURL?.absoluteString
    }
}
#endif
