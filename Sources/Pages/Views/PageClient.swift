/// Who opened the cart page.
package enum PageClient: String, Sendable, CaseIterable {
    /// The web view of the iOS app.
    case iosApp
    /// The web view of the Android app.
    case androidApp
    /// An ordinary browser.
    case browser

    /// Whether the way back leads into an app.
    package var isApp: Bool { self != .browser }
}
