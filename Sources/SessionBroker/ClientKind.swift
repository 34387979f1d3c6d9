/// Who asked for a flow, fixed at the issue; the raw value is the name on the wire.
package enum ClientKind: String, Sendable, CaseIterable {
    /// The app on iOS.
    case iosApp
    /// The app on Android.
    case androidApp
    /// An ordinary browser: cart, tab and purchase share one jar.
    case browser
    /// A merchant's own site: the merchant's server opens the session and keeps the proof, as an app would.
    case site

    /// Whether the cart is in an app or on another site, so that the purchase needs both halves from two places.
    package var isApp: Bool { self != .browser }
}
