/// The languages that every page exists in.
package enum Language: String, Sendable, CaseIterable {
    /// Japanese, the default of the shop.
    case ja
    /// English.
    case en
}
