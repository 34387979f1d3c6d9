import HTTPClient
import IntegrationKit

/// What is spoken, and how many processes share one database: where one of two is killed the other goes on, a single one is
/// replaced.
struct ProcessSetup: Sendable {
    let version: HTTPVersion
    let processes: Int

    static let all = HTTPVersion.allCases.flatMap { version in
        [1, 2].map { ProcessSetup(version: version, processes: $0) }
    }
}
