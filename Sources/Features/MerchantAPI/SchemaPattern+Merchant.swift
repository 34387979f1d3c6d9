import ServiceAPI

// Texts of orders and payments.
extension SchemaPattern {
    /// As `address`, or a plain one of the merchant's own machine, where the settings permit that.
    static let callback =
        "^(https://\(host)|http://(([a-z0-9-]{1,63}[.])*localhost|127([.][0-9]{1,3}){3}))\(rest)"
    /// A link into an app: an https address, or one of a private scheme.
    static let link =
        #"^(https://\#(host)\#(rest.dropLast())|[a-z][a-z0-9+-]*([.][a-z0-9+-]+)+:[!$%&()*+,./0-9:;=?@A-Z_a-z~-]+)$"#

    /// The provider's id of a checkout session.
    static let checkoutSession = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
    /// The number of an order, which is written in capital letters with a dash and read as people type it.
    static let number = "^[0-9A-TV-Za-tv-z]{5}-?[0-9A-TV-Za-tv-z]{5}$"
    /// A postal code of Japan, or the beginning of one and `*`.
    static let postalCode = "^([0-9]{3}-?[0-9]{4}|[0-9]{1,6}[*]|[0-9]{3}-[0-9]{0,3}[*])$"
    /// A charge permission's id.
    static let permission = "^[A-Z][0-9]{2}-[0-9]{7}-[0-9]{7}$"
    /// A charge's id.
    static let charge = "^[A-Z][0-9]{2}-[0-9]{7}-[0-9]{7}-C[0-9]{6}$"
    /// A refund's id.
    static let refund = "^[A-Z][0-9]{2}-[0-9]{7}-[0-9]{7}-R[0-9]{6}$"

    /// A verifier of RFC 7636.
    static let verifier = "^[A-Za-z0-9._~-]{43,128}$"
}
