/// One thing that a signing program does differently, so that its signature stands for another text than what was sent.
package enum SignatureVariant: String, Sendable, CaseIterable {
    /// The body without white space between its tokens.
    case compactBody = "compact_body"
    /// The body with a space behind each colon and comma.
    case spacedBody = "spaced_body"
    /// The body with `/` for `\/`.
    case unescapedSlashes = "unescaped_slashes"
    /// The body with `\/` for `/`.
    case escapedSlashes = "escaped_slashes"
    /// The body with characters for `\uXXXX`.
    case unescapedCharacters = "unescaped_characters"
    /// The body with `\uXXXX` for what is not ASCII.
    case escapedCharacters = "escaped_characters"
    /// The body with `\/` and `\uXXXX`.
    case escapedBoth = "escaped_both"
    /// The body without backslashes.
    case backslashesStripped = "backslashes_stripped"
    /// The body with the characters for HTML's references.
    case htmlReferences = "html_references"
    /// The body with its members sorted by name.
    case sortedKeys = "sorted_keys"
    /// The body without the blanks and line ends at its end.
    case finalBlanks = "final_blanks"
    /// The body with a line feed at its end.
    case addedLineFeed = "added_line_feed"
    /// No body.
    case bodyLeftOut = "body_left_out"
    /// The path with a slash at its end.
    case trailingSlash = "trailing_slash"
    /// The path without the slash at its end.
    case noTrailingSlash = "no_trailing_slash"
    /// The path of another environment.
    case otherEnvironment = "other_environment"
    /// The path as it is sent, not encoded.
    case rawPath = "raw_path"
    /// No query.
    case queryLeftOut = "query_left_out"
    /// The query as it is sent, neither sorted nor encoded.
    case rawQuery = "raw_query"
    /// Another method.
    case otherMethod = "other_method"
    /// Headers sorted by name.
    case sortedHeaders = "sorted_headers"
    /// The list of headers in lower case.
    case lowerCaseList = "lower_case_list"
    /// The list of headers spelled as the headers are.
    case fieldSpelling = "field_spelling"
    /// Header lines with capitals in their names.
    case capitalNames = "capital_names"
    /// Header values with all their blanks.
    case rawHeaders = "raw_headers"
    /// Another region.
    case otherRegion = "other_region"
    /// Another API host.
    case otherHost = "other_host"
    /// No empty line behind the header lines.
    case noBlankLine = "no_blank_line"
    /// A line feed behind the canonical request.
    case finalLineFeed = "final_line_feed"
    /// Lines joined by carriage return and line feed.
    case carriageReturns = "carriage_returns"
    /// A hash in upper case.
    case upperCaseHash = "upper_case_hash"
    /// The canonical request or the payload itself, without a string to sign.
    case signedDirectly = "signed_directly"
    /// A hash of the string to sign.
    case hashedTwice = "hashed_twice"
    /// The hash without the label.
    case hashOnly = "hash_only"
    /// A good signature in another Base64 than the standard one.
    case base64Spelling = "base64_spelling"
    /// A mask made with SHA-1.
    case maskSHA1 = "mask_sha1"
    /// PKCS#1 v1.5 padding.
    case pkcs1 = "pkcs1"

    /// What was done, and what to do instead; one or two sentences.
    package var advice: String {
        switch self {
        case .compactBody: "what was signed has no white space between the tokens: send the octets that you signed"
        case .spacedBody: "what was signed has a space behind each colon and comma: send the octets that you signed"
        case .unescapedSlashes: "what was signed has / where \\/ was sent: send the octets that you signed"
        case .escapedSlashes: "what was signed has \\/ where / was sent: send the octets that you signed"
        case .unescapedCharacters:
            "what was signed has characters where \\uXXXX was sent: send the octets that you signed"
        case .escapedCharacters:
            "what was signed has \\uXXXX where characters were sent: send the octets that you signed"
        case .escapedBoth:
            "what was signed has \\/ and \\uXXXX, as json_encode writes them: send the octets that you signed"
        case .backslashesStripped:
            "backslashes were removed before hashing, as the vendor's PHP library does: encode with "
                + "JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE, and keep quotation marks out of the payload"
        case .htmlReferences:
            "what was signed has the characters where &quot; or &amp; was sent: it was escaped for HTML once too often"
        case .sortedKeys: "what was signed has its members sorted by name: encode once, sign and send the same octets"
        case .finalBlanks: "line ends or blanks were added behind what was signed"
        case .addedLineFeed: "what was signed ends with a line feed that was not sent"
        case .bodyLeftOut: "the body was not hashed: every body that is sent is signed, with DELETE too"
        default: SignatureVariant.requestAdvice[self] ?? SignatureVariant.formAdvice[self] ?? rawValue
        }
    }

    private static let requestAdvice: [SignatureVariant: String] = [
        .trailingSlash: "the signed path ends with a slash, the sent one does not: sign the path as it is sent",
        .noTrailingSlash: "the sent path ends with a slash, the signed one does not: sign the path as it is sent",
        .otherEnvironment:
            "the signed path has another environment: /v2/ with a key id that begins with SANDBOX- or LIVE-, "
            + "/sandbox/v2/ or /live/v2/ with one that does not",
        .rawPath: "the path was signed without encoding: everything but A-Z a-z 0-9 - _ . ~ / is percent-encoded",
        .queryLeftOut: "the query was not signed: it is the third line",
        .rawQuery: "the query was signed as it is sent: sort by name and encode everything but A-Z a-z 0-9 - _ . ~",
        .otherMethod: "another method was signed: something on the way, or a form field, changed it",
        .sortedHeaders: "the headers were sorted when they were signed: SignedHeaders lists them in the same order",
        .lowerCaseList: "SignedHeaders was in lower case when it was signed: send it exactly as it was signed",
        .fieldSpelling:
            "SignedHeaders was spelled as the headers are when it was signed: send it exactly as it was signed",
        .capitalNames: "the header lines were signed with capitals: names in the header lines are in lower case",
        .rawHeaders:
            "header values were signed with blanks around or runs of them inside: trim and fold them to one space",
        .otherRegion: "x-amz-pay-region had another value when it was signed",
        .otherHost: "x-amz-pay-host had another value when it was signed",
    ]

    private static let formAdvice: [SignatureVariant: String] = [
        .noBlankLine: "the empty line behind the headers is missing: each header line has a line feed of its own",
        .finalLineFeed: "the canonical request was signed with a line feed at its end: nothing follows the hash",
        .carriageReturns: "lines were joined with carriage return and line feed: a line feed alone joins them",
        .upperCaseHash: "hashes were written in upper case: hexadecimal digits are in lower case",
        .signedDirectly: "the text itself was signed: sign the label, a line feed, and the hash of the text",
        .hashedTwice:
            "the string to sign was hashed once more: hand it to the key as it is, the key's own hash is enough",
        .hashOnly: "the hash was signed without the label: the string to sign is the label, a line feed, and the hash",
        .base64Spelling: "the signature is good, but is not written in standard Base64: + and /, padding, one line",
        .maskSHA1: "the mask was made with SHA-1: MGF1 takes SHA-256 too",
        .pkcs1: "PKCS#1 v1.5 padding: the service wants RSASSA-PSS",
    ]
}
