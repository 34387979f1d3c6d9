/// A postal address as the provider gives it; every part may be missing.
///
/// The provider writes a missing part as null, as empty text or not at all: here it is `nil` in each case. In Japan
/// `stateOrRegion` is the prefecture in kanji, `postalCode` reads `NNN-NNNN`, and `city` is normally missing.
package struct Address: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The parts, in the order they are stored in; the raw value is the provider's name for it.
    package enum Part: String, Sendable, CaseIterable {
        /// The recipient.
        case name
        /// Street and number, or what the country has in their place.
        case addressLine1
        /// Building, or a continuation.
        case addressLine2
        /// Company, or a continuation.
        case addressLine3
        /// Town.
        case city
        /// County.
        case county
        /// District.
        case district
        /// State or prefecture.
        case stateOrRegion
        /// As the country writes it.
        case postalCode
        /// Two capital letters.
        case countryCode
        /// As the buyer typed it.
        case phoneNumber
    }

    private var parts: [Part: String] = [:]

    /// An address without any part.
    package init() {}

    /// An address with the given parts.
    ///
    /// - Parameter parts: Empty texts are left out.
    package init(_ parts: [Part: String]) {
        self.parts = parts.filter { !$0.value.isEmpty }
    }

    /// One part; never empty, `nil` where it is missing.
    package subscript(part: Part) -> String? {
        get { parts[part] }
        set { parts[part] = newValue?.isEmpty == true ? nil : newValue }
    }

    /// Whether every part is missing.
    package var isEmpty: Bool { parts.isEmpty }

    /// The prefecture, by which the postage is found.
    package var prefecture: String? { self[.stateOrRegion] }

    package var description: String { "<private>" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
