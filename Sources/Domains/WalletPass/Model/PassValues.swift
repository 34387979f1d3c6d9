package import Primitives

/// What a placeholder of a template stands for.
package enum PassValue: Sendable, Hashable {
    /// A text; never read as markup, format or key of a translation.
    case text(String)
    /// A whole number, which stays a number where the placeholder is the whole value.
    case integer(Int64)
}

/// Where a phone asks for news about a pass.
package struct PassWebService: Sendable {
    /// An https URL, without query and without the `/v1` that phones append.
    package var url: String
    /// The secret of the pass: 16 printable characters of ASCII or more.
    package var authenticationToken: Secret<String>
    /// Whether the address may be http, which phones take in developer mode.
    package var allowsHTTP: Bool

    /// The given address and secret.
    package init(url: String, authenticationToken: Secret<String>, allowsHTTP: Bool = false) {
        self.url = url
        self.allowsHTTP = allowsHTTP
        self.authenticationToken = authenticationToken
    }
}

/// What distinguishes one pass of a template from the others.
package struct PassValues: Sendable {
    /// Names the pass within its type, for good.
    package var serialNumber: String
    /// Values of placeholders by name; names without a placeholder are passed over.
    package var fields: [String: PassValue]
    /// `nil` for a pass that is never updated.
    package var webService: PassWebService?
    /// Whether this is the last version: voided, without barcodes, places, beacons and web service.
    package var isFinal: Bool

    /// The given values.
    package init(
        serialNumber: String,
        fields: [String: PassValue] = [:],
        webService: PassWebService? = nil,
        isFinal: Bool = false
    ) {
        self.serialNumber = serialNumber
        self.fields = fields
        self.webService = webService
        self.isFinal = isFinal
    }
}

/// A filled template: the file that a pass does not share with others.
package struct PassContent: Sendable, CustomStringConvertible {
    /// pass.json, with the secret of the pass: for the package alone, never for a log.
    package let json: [UInt8]
    /// SHA-256 of the template's digest and of pass.json without the secret: another one is another version.
    package let digest: Digest32
    /// The type of the pass.
    package let passType: String
    /// The serial number of the pass.
    package let serialNumber: String

    /// Without the content.
    package var description: String { "pass content \(digest)" }
}

/// Why a template cannot be filled with values.
package struct PassFillError: Error, Sendable, CustomStringConvertible {
    /// All that is wrong; texts name members and placeholders, never values.
    package let findings: [PassFinding]

    /// One line for each finding.
    package var description: String { findings.map(\.description).joined(separator: "\n") }
}

/// Why a folder is no template.
package struct PassTemplateError: Error, Sendable, CustomStringConvertible {
    /// All that is wrong.
    package let findings: [PassFinding]

    /// One line for each finding.
    package var description: String { findings.map(\.description).joined(separator: "\n") }
}

/// Why passes of a type cannot be signed.
package struct PassSignerError: Error, Sendable, CustomStringConvertible {
    /// All that is wrong.
    package let findings: [PassFinding]

    /// One line for each finding.
    package var description: String { findings.map(\.description).joined(separator: "\n") }
}
