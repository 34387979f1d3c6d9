/// Who asked for a flow, fixed at the issue; the raw value is the name on the wire.
package enum ClientKind: String, Sendable, CaseIterable {
    /// The app on iOS.
    case iosApp
    /// The app on Android.
    case androidApp
    /// An ordinary browser: cart, tab and purchase share one jar.
    case browser

    /// Whether the cart is in an app, so that the purchase needs both halves from two jars.
    package var isApp: Bool { self != .browser }
}
