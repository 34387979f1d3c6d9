/// A person with an account at the simulated service.
package struct TestBuyer: Sendable, Equatable, Codable {
    /// An address in the buyer's address book.
    package struct BookEntry: Sendable, Equatable, Codable {
        /// What forms and the autopilot call it, unique within the buyer.
        package let id: String
        /// The address.
        package let address: PostalAddress
        /// Whether it is a post office box, which a merchant may exclude.
        package let isPostOfficeBox: Bool

        /// The given entry.
        ///
        /// - Parameters:
        ///   - id: Letters, digits and hyphens.
        ///   - isPostOfficeBox: Whether it is a post office box.
        package init(_ id: String, _ address: PostalAddress, isPostOfficeBox: Bool = false) {
            self.id = id
            self.address = address
            self.isPostOfficeBox = isPostOfficeBox
        }
    }

    /// `amzn1.account.` and upper-case letters and digits.
    package let id: String
    /// Signs the buyer in; unique.
    package let email: String
    /// The whole name.
    package let name: String
    /// May be empty.
    package let phoneNumber: String
    /// One at least; the first is offered first.
    package let addresses: [BookEntry]
    /// Whether every sign-in asks for a one-time code.
    package let asksForCode: Bool

    /// The given buyer.
    ///
    /// - Parameters:
    ///   - id: `amzn1.account.` and upper-case letters and digits.
    ///   - email: Unique.
    ///   - phoneNumber: May be empty.
    ///   - addresses: One at least.
    ///   - asksForCode: Whether every sign-in asks for a one-time code.
    package init(
        id: String,
        email: String,
        name: String,
        phoneNumber: String,
        addresses: [BookEntry],
        asksForCode: Bool = false
    ) {
        self.id = id
        self.email = email
        self.name = name
        self.phoneNumber = phoneNumber
        self.addresses = addresses
        self.asksForCode = asksForCode
    }
}
