import Primitives

/// Why an order that a merchant sent is not taken.
package struct DraftRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, for programs; the raw value is what the answer says.
    package enum Code: String, Sendable, Equatable, CaseIterable {
        /// A text, a count or a combination outside its rule.
        case invalid = "invalid_request"
        /// A sum outside its rule, or in another currency than the order.
        case amount = "invalid_amount"
        /// A sum that the merchant computed and that we compute otherwise.
        case sum = "sum_mismatch"
        /// A currency in which this account does not charge, or that our pages cannot show.
        case currency = "currency_not_supported"
        /// A way back outside the origins that the operator named.
        case address = "return_url_not_allowed"
        /// A postage callback outside the origins that the operator named.
        case callback = "postage_callback_not_allowed"
    }

    /// What is wrong, for programs.
    package let code: Code
    /// Which member of the order, for example `lines[0].quantity`.
    package let field: String
    /// What is wrong, for the merchant; holds nothing of what was sent.
    package let detail: String

    /// A refusal of one member.
    ///
    /// - Parameters:
    ///   - field: For example `lines[0].quantity`.
    ///   - detail: For the merchant; nothing of what was sent.
    package init(_ code: Code, _ field: String, _ detail: String) {
        self.code = code
        self.field = field
        self.detail = detail
    }

    /// What is kept of a text, or the refusal by the rule that it breaks.
    ///
    /// - Parameters:
    ///   - field: For example `name`.
    ///   - length: How many Unicode scalars it may have.
    ///   - subject: What it is called; lower case.
    static func cleaned(
        _ text: String,
        _ field: @autoclosure () -> String,
        _ length: ClosedRange<Int>,
        _ subject: StaticString = "the text"
    ) throws(DraftRefusal) -> String {
        try reading(field()) { () throws(TextRefusal) in
            try PrintableText.cleaned(text, length: length, subject: subject)
        }
    }

    /// Reads a text, and refuses it by the rule that it breaks.
    ///
    /// - Parameters:
    ///   - field: For example `returnUrl`.
    static func reading<Value>(
        _ field: @autoclosure () -> String,
        _ body: () throws(TextRefusal) -> Value
    ) throws(DraftRefusal) -> Value {
        do throws(TextRefusal) {
            return try body()
        } catch {
            throw DraftRefusal(.invalid, field(), error.sentence)
        }
    }

    /// The same refusal of a member that lies deeper.
    ///
    /// - Parameter parent: The path to what the member was a part of, for example `lines[3]`.
    /// - Returns: The refusal with both parts of the path.
    package func below(_ parent: String) -> DraftRefusal {
        DraftRefusal(code, field.isEmpty ? parent : "\(parent).\(field)", detail)
    }

    package var description: String { "\(code.rawValue) \(field): \(detail)" }
}
