/// Who asked for a webview session, fixed at the issue; the raw value is the name on the wire.
package enum ClientKind: String, Sendable, CaseIterable {
    /// The app on iOS.
    case iosApp
    /// The app on Android.
    case androidApp
    /// An ordinary browser: cart, tab and purchase share one jar.
    case browser
    /// A merchant's own site: the merchant's server opens the session and keeps the proof, as an app would.
    case site
    /// A merchant's app that starts the checkout by itself, with the provider's library: there is no tab of ours.
    case mobileApp

    /// Whether the cart is in an app or on another site, so that the purchase needs both halves from two places.
    package var isApp: Bool { self != .browser }

    /// Whether only a merchant's server can open such a webview session, because it keeps the proof.
    package var isOpenedByServer: Bool { self == .site || self == .mobileApp }
}
