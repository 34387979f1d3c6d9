import EventIO
import Simulators
import StrictJSON
import Testing

/// The signing vectors, which lie with the tests of the signer.
enum VectorFile {
    /// The cases of one list of a file, each with its name.
    static func cases(_ file: String, _ list: String) -> [VectorCase] {
        let root = #filePath.prefix(
            upTo: #filePath.firstRange(of: "/SimulatorsTests/")?.lowerBound ?? #filePath.endIndex
        )
        let path = root + "/AmazonPayTests/Vectors/" + file
        guard let bytes = try? Files.read(String(path)), let value = try? JSONParser.parse(bytes) else { return [] }
        return (value[list]?.elements ?? []).map(VectorCase.init)
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
