import Primitives

/// Fields as `application/x-www-form-urlencoded`; a blank is `%20`, which works everywhere.
enum FormText {
    static func encode(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    }
}
