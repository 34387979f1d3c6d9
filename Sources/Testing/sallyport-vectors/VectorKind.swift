import Foundation
import StrictJSON

/// A kind of file with vectors.
protocol VectorKind: SendableMetatype {
    /// The name by which a file of this kind is known.
    static var fileName: String { get }
    /// Judges every case of a file.
    ///
    /// - Parameters:
    ///   - folder: Where the file lies, and what it names.
    static func judge(_ document: JSONValue, in folder: URL) async throws -> [VectorOutcome]
}

/// What came of a case.
struct VectorOutcome: CustomStringConvertible {
    let id: String
    let isAsExpected: Bool
    /// What the program says.
    let verdict: String
    /// What the file says, where that differs.
    let expected: String

    var description: String { "\(id): \(verdict)" + (isAsExpected ? "" : "; expected \(expected)") }
}

extension VectorOutcome {
    /// Of a case whose verdict is one text.
    init(_ id: String, found: String, expected: String) {
        self.init(id: id, isAsExpected: found == expected, verdict: found, expected: expected)
    }
}

/// Why a folder cannot be judged.
struct VectorError: Error, CustomStringConvertible {
    let description: String
}
