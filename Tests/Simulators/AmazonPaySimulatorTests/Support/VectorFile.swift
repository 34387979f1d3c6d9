import AmazonPaySimulator
import EventIO
import SimulatorCore
import StrictJSON
import TestKit
import Testing

/// The signing vectors, which lie with the tests of the signer.
enum VectorFile {
    /// The cases of one list of a file, each with its name.
    static func cases(_ file: String, _ list: String) -> [VectorCase] {
        (read(file)?[list]?.elements ?? []).map(VectorCase.init)
    }

    /// The members of one object of a file.
    static func named(_ file: String, _ object: String) -> [JSONMember] {
        read(file)?[object]?.members ?? []
    }

    private static func read(_ file: String) -> JSONValue? {
        guard let bytes = try? Files.read(ProjectFolder.vectors("AmazonPayTests") + "/" + file) else { return nil }
        return try? JSONParser.parse(bytes)
    }
}

struct VectorCase: Sendable, CustomTestStringConvertible {
    let value: JSONValue

    init(_ value: JSONValue) {
        self.value = value
    }

    var testDescription: String { value["name"]?.text ?? "?" }

    func text(_ name: String) -> String { value[name]?.text ?? "" }

    /// The request that a case describes.
    var request: SimulatorRequest {
        var fields = (value["headers"]?.members ?? []).map { (name: $0.name, value: $0.value.text ?? "") }
        if let authorization = value["authorization"]?.text {
            fields.removeAll { $0.name.lowercased() == "authorization" }
            fields.append(("Authorization", authorization))
        }
        let query = text("query").isEmpty ? "" : "?" + text("query")
        return SimulatorRequest(text("method"), text("path") + query, fields: fields, body: Array(text("body").utf8))
    }
}
