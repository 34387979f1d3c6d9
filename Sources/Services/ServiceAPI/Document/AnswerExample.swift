package import StrictJSON
import Web

/// An answer as a client may get it, under a name of its own in the description.
///
/// It is written by the same code as the answers themselves, so it has their form.
package struct AnswerExample: Sendable {
    /// Upper camel case; unique.
    package let name: String
    /// One line for people.
    package let summary: String
    /// The content.
    package let value: JSONValue

    /// An example.
    package init(_ name: String, _ summary: String, _ value: JSONValue) {
        self.name = name
        self.summary = summary
        self.value = value
    }
}

extension AnswerExample {
    static let document = AnswerExample(
        "Description",
        "the beginning of this description",
        ["openapi": "3.1.0", "info": ["title": "Sallyport", "version": "0.1.0"], "paths": [:]]
    )

    /// A refusal, under the name of its code: what `type` of a problem refers to.
    static func refusal(_ failure: Failure) -> AnswerExample {
        let value = try? JSONParser.parse(failure.problem(inRequest: "000000000000a1b2"))
        return AnswerExample(failure.code.name, failure.code.message, value ?? .null)
    }
}
