import Primitives
import StrictJSON

/// What an error code of the App Store Server API means.
package struct ServerAPIErrorMeaning: Sendable, Hashable {
    /// Whether a call that ended with the code is worth a repetition.
    package enum Repetition: String, Sendable, Hashable, CaseIterable {
        /// No.
        case never
        /// Once.
        case once
        /// Some times, after growing pauses.
        case soon
        /// When the limit allows it.
        case whenAllowed = "when_allowed"
    }

    /// For people, in a few words.
    package let sentence: String
    /// Whether a repetition is worth it.
    package let repetition: Repetition

    fileprivate init(_ sentence: String, _ repetition: Repetition = .never) {
        self.sentence = sentence
        self.repetition = repetition
    }

    /// The meaning of a code; `nil` for one that is not known.
    package init?(code: Int) {
        guard let meaning = ServerAPIErrorMeaning.table[code] else { return nil }
        self = meaning
    }

    /// The codes that are known, lowest first.
    package static let codes = table.keys.sorted()

    private static let table: [Int: ServerAPIErrorMeaning] = {
        var table: [Int: ServerAPIErrorMeaning] = [:]
        for (code, sentence) in requestFaults + states { table[code] = ServerAPIErrorMeaning(sentence) }
        for (code, sentence) in [
            (4_040_002, "account not found, worth a repetition"), (4_040_004, "app not found, worth a repetition"),
            (4_040_006, "original transaction not found, worth a repetition"),
            (5_000_001, "internal error, worth a repetition"),
        ] { table[code] = ServerAPIErrorMeaning(sentence, .soon) }
        table[4_290_000] = ServerAPIErrorMeaning("more calls than the limit", .whenAllowed)
        table[5_000_000] = ServerAPIErrorMeaning("internal error", .once)
        return table
    }()

    private static let requestFaults: [(Int, String)] = [
        (4_000_000, "bad request"), (4_000_002, "bad app identifier"), (4_000_005, "bad revision"),
        (4_000_006, "bad transaction id"), (4_000_008, "bad original transaction id"),
        (4_000_009, "bad number of days"), (4_000_010, "bad reason of an extension"),
        (4_000_011, "bad request identifier"), (4_000_012, "start date too old"), (4_000_013, "start not before end"),
        (4_000_014, "bad pagination token"), (4_000_015, "bad start date"), (4_000_016, "bad end date"),
        (4_000_017, "pagination token expired"), (4_000_018, "bad notification type"),
        (4_000_019, "two filters that exclude each other"), (4_000_020, "bad test notification token"),
        (4_000_021, "bad sort"), (4_000_022, "bad product type"), (4_000_023, "bad product id"),
        (4_000_024, "bad subscription group"), (4_000_025, "bad exclude-revoked"), (4_000_026, "bad ownership type"),
        (4_000_027, "empty list of storefronts"), (4_000_028, "bad storefront"), (4_000_030, "bad revoked"),
        (4_000_031, "bad status"), (4_000_032, "consumption: bad account tenure"),
        (4_000_033, "consumption: bad app account token"), (4_000_034, "consumption: bad consumption status"),
        (4_000_035, "consumption: bad customer consent"), (4_000_036, "consumption: bad delivery status"),
        (4_000_037, "consumption: bad dollars purchased"), (4_000_038, "consumption: bad dollars refunded"),
        (4_000_039, "consumption: bad platform"), (4_000_040, "consumption: bad play time"),
        (4_000_041, "consumption: bad sample content"), (4_000_042, "consumption: bad user status"),
        (4_000_043, "not a consumable"), (4_000_044, "consumption: bad refund preference"),
        (4_000_047, "product type not supported"), (4_000_048, "app transaction id not supported here"),
        (4_000_183, "app account token is no UUID"), (4_000_185, "family-shared transaction not supported"),
        (4_000_187, "not an original transaction id"), (4_000_209, "consumption percentage on a subscription"),
        (4_000_225, "bad group id"), (4_000_227, "assigned transaction not supported"),
    ]

    private static let states: [(Int, String)] = [
        (4_030_004, "extension: state of the subscription"), (4_030_005, "extension: maximum reached"),
        (4_030_007, "extension: family-shared"), (4_040_001, "account not found"), (4_040_003, "app not found"),
        (4_040_005, "original transaction not found"), (4_040_007, "no notification URL is set"),
        (4_040_008, "test notification unknown or not yet sent"), (4_040_009, "no such mass extension"),
        (4_040_010, "transaction not found"), (4_040_019, "no app transaction of the customer"),
        (4_040_022, "group not found"),
    ]
}

/// An answer of the App Store Server API that is no success.
package struct ServerAPIFailure: Error, Sendable, Hashable {
    /// The status.
    package let status: Int
    /// The code; `nil` where the body has none, as every 401.
    package let code: Int?

    /// The failure that an answer tells; a body that is not to be read leaves the status alone.
    package init(status: Int, body: [UInt8]) {
        self.status = status
        let object = body.count <= 65_536 ? try? JSONParser.parse(body, depth: 8, values: 256) : nil
        let code = object?["errorCode"]?.integer
        // The first digits of a code are its status.
        self.code = code.flatMap { $0 / 10_000 == status ? $0 : nil }
    }

    /// What the code means; `nil` for an unknown one, or none.
    package var meaning: ServerAPIErrorMeaning? { code.flatMap { ServerAPIErrorMeaning(code: $0) } }

    /// Whether a transaction that was not found may be in the other environment.
    package var isTransactionElsewhere: Bool { code == 4_040_010 || code == 4_040_005 }
}

extension ServerAPIFailure: CustomStringConvertible {
    /// Status, code and meaning.
    package var description: String {
        guard let code else { return "status \(status)" }
        return "status \(status), code \(code)" + (meaning.map { " (\($0.sentence))" } ?? "")
    }
}
