import Cryptography
package import HTTPCore
import Primitives

/// An answer from memory with its entity tag, made at the start.
package final class FixedAnswer: Sendable {
    private let full: StaticResponse
    private let notModified: StaticResponse
    private let tag: EntityTag?

    /// An answer with a strong tag made from its content.
    package init(_ body: [UInt8], block: FieldBlock) {
        tag = EntityTag(SHA256.digest(of: body).hexadecimal)
        let tagged = block.adding(tag.map { [$0.field] } ?? [])
        full = StaticResponse(HTTPResponse(.ok, block: tagged, body: .bytes(body)))
        notModified = StaticResponse(HTTPResponse(.notModified, block: tagged))
    }

    /// The answer where nothing is configured.
    ///
    /// - Parameter response: The answer to a client, which holds nothing secret.
    package init(absent response: HTTPResponse) {
        full = StaticResponse(response)
        notModified = full
        tag = nil
    }

    /// The answer for one request: the content, or that the client has it already.
    package func answer(_ request: HTTPRequest) -> StaticResponse {
        guard let tag, tag.matches(ifNoneMatchOf: request) else { return full }
        return notModified
    }
}
