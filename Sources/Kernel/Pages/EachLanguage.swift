package import HTTPCore
package import Web

/// One value for each language, made when the program starts.
///
/// A class, so that a request counts one reference, and not those of everything that was compiled for a language.
package final class EachLanguage<Value: Sendable>: Sendable {
    private let japanese: Value
    private let english: Value

    /// Makes both.
    package init(_ make: (Language) throws -> Value) rethrows {
        japanese = try make(.ja)
        english = try make(.en)
    }

    /// The value of a language.
    package subscript(language: Language) -> Value {
        switch language {
        case .ja: japanese
        case .en: english
        }
    }
}

extension EachLanguage where Value == Frame {
    /// A page of a feature with a notice alone, in the shop's frame and the buyer's language.
    ///
    /// - Parameters:
    ///   - paragraphs: Plain text, possibly none; what somebody has typed, too.
    /// - Returns: The answer, with its policy.
    package func answer(
        _ heading: Localized,
        _ paragraphs: [Localized],
        to request: HTTPRequest,
        _ headers: HeaderPolicy
    ) -> HTTPResponse {
        let language = Language(preferredBy: request)
        let heading = heading.text(in: language)
        let document = self[language].document(
            Head<Never>(title: "\(heading)"),
            """
            <section class="card hero">
            <h1>\(heading)</h1>
            \(Markup(each: paragraphs) { "<p>\($0.text(in: language))</p>" })
            </section>
            """
        )
        var response = HTTPResponse(.ok, block: headers.page, body: .bytes(document.bytes))
        _ = response.add(.contentSecurityPolicy, ContentSecurityPolicy.plain)
        return response
    }
}
