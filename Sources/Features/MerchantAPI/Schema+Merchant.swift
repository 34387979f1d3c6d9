import Commerce
package import ServiceAPI

extension Schema {
    /// An amount.
    package static let money = Schema.named(.money)
    /// An amount that may be below zero.
    package static let signedMoney = Schema.named(.signedMoney)
    /// A session.
    package static let session = Schema.named(.session)
}

extension NamedSchema {
    /// An amount of money.
    package static let money = NamedSchema(
        "Amount",
        .object([
            .required("amount", .matching("^(0|[1-9][0-9]{0,11})$"), "decimal digits: `27456` yen"),
            .required("currencyCode", .word([Currency.jpy.rawValue])),
        ]),
        isInBoth: true
    )

    /// An amount of money that comes on top or is taken off.
    package static let signedMoney = NamedSchema(
        "SignedAmount",
        .object([
            .required(
                "amount",
                .matching("^-?(0|[1-9][0-9]{0,11})$"),
                "digits, with a minus for what is taken off: `-500` yen"
            ),
            .required("currencyCode", .word([Currency.jpy.rawValue])),
        ]),
        isInBoth: true
    )
}
