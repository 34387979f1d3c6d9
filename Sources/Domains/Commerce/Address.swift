/// A postal address as the provider gives it; every part may be missing.
///
/// The provider writes a missing part as null, as empty text or not at all: here it is `nil` in each case. Each part is
/// free text: in Japan `stateOrRegion` is mostly the prefecture in kanji, and `postalCode` reads `NNN-NNNN`, but buyers' address
/// books have other spellings (see `Prefecture`); `city` is normally missing.
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
        /// State or prefecture, in any spelling.
        case stateOrRegion
        /// As the country writes it.
        case postalCode
        /// Two capital letters.
        case countryCode
        /// As the buyer typed it.
        case phoneNumber
    }

    /// By `place` of the part.
    private var parts: TextParts

    /// An address without any part.
    package init() {
        parts = TextParts()
    }

    /// The parts as they were stored, by `place`.
    init(_ parts: TextParts) {
        self.parts = parts
    }

    /// An address with the given parts.
    ///
    /// - Parameter parts: Empty texts are left out.
    package init(_ parts: [Part: String]) {
        self.init()
        for (part, text) in parts { self[part] = text }
    }

    /// One part; never empty, `nil` where it is missing.
    package subscript(part: Part) -> String? {
        get { parts[part.place] }
        set { parts[part.place] = newValue }
    }

    /// Lends one part as it goes into a page, without a text in between.
    ///
    /// - Parameters:
    ///   - body: Gets the part in UTF-8, one byte at least; not called where it is missing.
    /// - Returns: What the body returns, or `nil` where the part is missing.
    package func withBytes<Value>(of part: Part, _ body: (Span<UInt8>) -> Value) -> Value? {
        parts.withBytes(part.place, body)
    }

    /// Whether every part is missing.
    package var isEmpty: Bool { parts == TextParts() }

    package var description: String { "<private>" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Address.Part {
    /// Where the part stands among all parts.
    var place: Int {
        switch self {
        case .name: 0
        case .addressLine1: 1
        case .addressLine2: 2
        case .addressLine3: 3
        case .city: 4
        case .county: 5
        case .district: 6
        case .stateOrRegion: 7
        case .postalCode: 8
        case .countryCode: 9
        case .phoneNumber: 10
        }
    }
}
