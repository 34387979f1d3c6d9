import Primitives
import StrictJSON

/// Collects findings.
struct PassReport {
    /// Whether warnings that an own pass must not have are errors.
    var isStrict = false
    private(set) var findings: [PassFinding] = []

    init(isStrict: Bool = false) {
        self.isStrict = isStrict
    }

    mutating func error(_ check: PassCheck, at place: String = "", _ text: String, remedy: String = "") {
        findings.append(PassFinding(check, .error, at: place, text, remedy: remedy))
    }

    mutating func warning(_ check: PassCheck, at place: String = "", _ text: String, remedy: String = "") {
        let severity = isStrict && check.isStrict ? PassFinding.Severity.error : .warning
        findings.append(PassFinding(check, severity, at: place, text, remedy: remedy))
    }

    mutating func append(_ other: PassReport) { findings += other.findings }
}

extension JSONValue {
    /// The value of a member, `null` among them; `nil` where it is absent.
    func member(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.octets == name.octets }?.value
    }

    /// The number, or `nil` for anything else and for what no floating point holds.
    var double: Double? {
        guard case .number(let digits) = self, let number = Double(digits), number.isFinite else { return nil }
        return number
    }

    var isNumber: Bool { if case .number = self { true } else { false } }

    var isObject: Bool { if case .object = self { true } else { false } }

    /// The elements; `nil` for anything but a list.
    var list: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
}
