import HTTPCore
import Primitives
import StrictJSON
import Web

// What phones send, taken apart.

/// What the path of a phone's request names.
enum PhonePath {
    private static let greatestLength = 256

    /// A part of the path, its escapes undone once.
    ///
    /// - Throws: `invalid_request` for what is no text, `path_too_long`.
    static func part(_ request: HTTPRequest, _ index: Int) throws(Failure) -> String {
        guard let text = request.decodedCapture(index) else {
            throw Failure(.invalidRequest, "a part of the path is no text")
        }
        guard text.utf8.count <= greatestLength else { throw Failure(.pathTooLong) }
        return text
    }
}

extension HTTPRequest {
    /// Looks at what stands behind the scheme `ApplePass` in the only Authorization field; `nil` for any other request.
    func withPassToken<Result>(_ body: (Span<UInt8>) -> Result?) -> Result? {
        guard count(.authorization) == 1 else { return nil }
        var result: Result?
        forEachValue(.authorization) { value in
            guard value.count > 10, value.extracting(first: 9).isEqualIgnoringCase(to: "applepass"),
                value[9] == UInt8(ascii: " ")
            else { return }
            var start = 10
            while start < value.count, value[start] == UInt8(ascii: " ") { start += 1 }
            result = body(value.extracting(start...))
        }
        return result
    }

    /// The tag that a phone has kept: the first of its name; zero for none, and for what is no tag of ours.
    var knownTag: Int64 {
        guard let all = try? queryParameters().all,
            let text = all.first(where: { $0.name.octets == "passesUpdatedSince" })?.value
        else { return 0 }
        return DecimalDigits.parse(text.utf8Span.span, limit: .max).map(Int64.init) ?? 0
    }
}

/// Where to wake a phone: hexadecimal digits of whatever number, in lower case.
struct PushToken {
    let text: String

    private static let greatestLength = 2_048

    /// The token in the content of a registration.
    ///
    /// - Throws: `invalid_request`.
    init(_ body: [UInt8]) throws(Failure) {
        let value: JSONValue?
        do throws(JSONError) {
            value = try JSONParser.parse(body, values: 256)["pushToken"]
        } catch {
            throw Failure(.invalidRequest, "the registration is no JSON")
        }
        guard let text = value?.text, !text.isEmpty, text.utf8.count <= PushToken.greatestLength,
            text.utf8.count % 2 == 0, text.utf8.allSatisfy({ Hex.value(of: $0) != nil })
        else { throw Failure(.invalidRequest, "no push token") }
        self.text = text.octets.lowercase
    }
}

/// What went wrong on a phone, as it sends it.
enum DeviceLog {
    /// More lines of one request are not kept.
    static let greatestLineCount = 100

    /// The lines in the content of a request.
    ///
    /// - Throws: `invalid_request`.
    static func lines(_ body: [UInt8]) throws(Failure) -> [String] {
        let value: JSONValue?
        do throws(JSONError) {
            value = try JSONParser.parse(body, values: 4_096)["logs"]
        } catch {
            throw Failure(.invalidRequest, "the log is no JSON")
        }
        guard case .array(let elements)? = value else { throw Failure(.invalidRequest, "no lines of a log") }
        let texts = elements.compactMap(\.text)
        guard texts.count == elements.count else { throw Failure(.invalidRequest, "a line of the log is no text") }
        return texts
    }
}
