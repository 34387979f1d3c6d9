import Foundation
import HTTPCore
import StrictJSON

/// Paths of phones, and the route that each leads to.
enum PathVectors: VectorKind {
    static let fileName = "path-cases.json"

    static func judge(_ document: JSONValue, in folder: URL) async throws -> [VectorOutcome] {
        let cases = document["cases"]?.elements ?? []
        return try await CardServer.judging(folder) { server in
            var outcomes: [VectorOutcome] = []
            for item in cases {
                guard let method = item["method"]?.text, let path = item["path"]?.text else {
                    throw VectorError(description: "a case without method and path")
                }
                let answer = try await server.ask(method, CardServer.base + path)
                let allowed = answer.first("allow").map { ", \($0)" } ?? ""
                outcomes.append(
                    VectorOutcome(
                        "\(method) \(path)",
                        found: "\(answer.status)\(allowed)\(answer.body.isEmpty ? "" : " with content")",
                        expected: try expected(of: item)
                    )
                )
            }
            return outcomes
        }
    }

    /// The answer without a token and without content, by which a route is known.
    private static func expected(of item: JSONValue) throws -> String {
        switch (item["route"]?.text, item["status"]?.integer) {
        case ("list", _): return "204"
        case ("log", _): return "400"
        case ("register", _), ("unregister", _), ("pass", _): return "401"
        case (let route?, _): throw VectorError(description: "an unknown route: \(route)")
        case (nil, let status?): return "\(status)" + (item["allow"]?.text.map { ", \($0)" } ?? "")
        case (nil, nil): return "404"
        }
    }
}
