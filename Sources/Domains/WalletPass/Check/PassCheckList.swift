import Primitives
import StrictJSON

/// Judges pass.json by the rules of the format.
struct PassCheckList {
    /// What is judged.
    enum Subject {
        /// A pass.
        case pass
        /// A template: a text with a placeholder is any value, and what the program writes is absent.
        case template
    }

    let pass: JSONValue
    let subject: Subject
    var allowsHTTP = false
    var report: PassReport

    /// The style of old systems that the pass has; of several the first.
    var style: PassStyle? { PassStyle.allCases.first { pass.member($0.rawValue) != nil } }

    init(_ pass: JSONValue, _ subject: Subject, allowsHTTP: Bool = false, isStrict: Bool = false) {
        self.pass = pass
        self.subject = subject
        self.allowsHTTP = allowsHTTP
        report = PassReport(isStrict: isStrict)
    }

    mutating func run() {
        guard pass.isObject else { return report.error(.passForm, at: PassFileName.pass, "not a JSON object") }
        checkRequired()
        checkStyles()
        checkDates()
        checkBarcodes()
        checkLocations()
        checkBeacons()
        checkColors()
        checkWebService()
        checkStores()
        checkNFC()
        checkNames()
        checkTypes()
        checkSemantics(pass.member("semantics"), at: "semantics")
        for name in pass.members.map(\.name) where !PassFormat.members.contains(name.octets) {
            report.warning(.unknownMember, at: name, "no member of the format")
        }
    }

    /// Whether a placeholder decides what the value is.
    func isOpen(_ value: JSONValue?) -> Bool {
        guard case .template = subject, case .string(let text) = value else { return false }
        return PlaceholderText(text).hasPlaceholders
    }

    func isDate(_ value: JSONValue?) -> Bool {
        isOpen(value) || value?.text.map(PassDate.isValid) == true
    }

    func isNumber(_ value: JSONValue?) -> Bool { isOpen(value) || value?.isNumber == true }

    // MARK: Members

    private mutating func checkRequired() {
        var names = ["description", "organizationName", "passTypeIdentifier", "teamIdentifier"]
        if case .pass = subject { names.append("serialNumber") }
        for name in names where pass.member(name)?.text?.isEmpty != false {
            report.error(.required, at: name, "missing, empty or not a text")
        }
        if pass.member("formatVersion")?.integer != 1 {
            report.error(.required, at: "formatVersion", "not the number 1", remedy: "write \"formatVersion\": 1")
        }
    }

    private mutating func checkDates() {
        for name in ["expirationDate", "relevantDate"] {
            guard let date = pass.member(name), !isDate(date) else { continue }
            report.error(.date, at: name, "not a date with time of day and zone", remedy: PassCheckList.dateRemedy)
        }
        guard let dates = pass.member("relevantDates") else { return }
        guard let list = dates.list else { return report.error(.date, at: "relevantDates", "not a list") }
        for (index, date) in list.enumerated() { checkRelevantDate(date, at: "relevantDates[\(index)]") }
    }

    static let dateRemedy = "write it as 2026-11-28T18:00+09:00"

    private mutating func checkRelevantDate(_ date: JSONValue, at place: String) {
        let names = ["date", "relevantDate", "startDate", "endDate"]
        guard names.dropLast().contains(where: { date.member($0) != nil }) else {
            return report.error(.date, at: place, "has neither date nor startDate and endDate")
        }
        for name in names {
            guard let value = date.member(name), !isDate(value) else { continue }
            report.error(
                .date,
                at: "\(place).\(name)",
                "not a date with time of day and zone",
                remedy: PassCheckList.dateRemedy
            )
        }
        if (date.member("startDate") == nil) != (date.member("endDate") == nil) {
            report.error(.date, at: place, "startDate and endDate go together")
        }
    }

    private mutating func checkColors() {
        for name in PassFormat.colors {
            guard let color = pass.member(name), !isOpen(color) else { continue }
            let text = color.text ?? ""
            if PassColor.isDocumented(text) { continue }
            if PassColor.isHexadecimal(text) {
                report.warning(.color, at: name, "not in the documented form", remedy: "write it as rgb(24, 44, 82)")
            } else {
                report.error(
                    .color,
                    at: name,
                    "not a colour",
                    remedy: "write it as rgb(24, 44, 82), each from 0 to 255"
                )
            }
        }
    }

    private mutating func checkStores() {
        if pass.member("appLaunchURL") != nil, pass.member("associatedStoreIdentifiers") == nil {
            report.error(.stores, at: "appLaunchURL", "needs associatedStoreIdentifiers")
        }
        for name in ["associatedStoreIdentifiers", "auxiliaryStoreIdentifiers"] {
            guard let value = pass.member(name) else { continue }
            guard let list = value.list, list.allSatisfy({ $0.integer != nil || isOpen($0) }) else {
                report.error(.stores, at: name, "not a list of whole numbers")
                continue
            }
        }
    }

    private mutating func checkNames() {
        if pass.member("groupingIdentifier") != nil, style != .boardingPass, style != .eventTicket {
            report.error(.grouping, at: "groupingIdentifier", "for boarding passes and event tickets only")
        }
        if let serial = pass.member("serialNumber")?.text, !isOpen(.string(serial)), !PassName.needsNoEscape(serial) {
            report.warning(.serialNumber, at: "serialNumber", "needs escapes in the paths of the web service")
        }
        if let type = pass.member("passTypeIdentifier")?.text, !PassName.isPassType(type) {
            report.error(.passType, at: "passTypeIdentifier", "not `pass.` and a reverse domain")
        }
        if let team = pass.member("teamIdentifier")?.text, !PassName.isTeam(team) {
            report.warning(.team, at: "teamIdentifier", "not ten capitals and digits")
        }
    }

    private mutating func checkTypes() {
        for name in PassFormat.flags {
            guard let flag = pass.member(name), flag.flag == nil else { continue }
            report.error(.memberType, at: name, "neither true nor false")
        }
        for name in PassFormat.texts {
            guard let value = pass.member(name), value.text == nil else { continue }
            report.error(.memberType, at: name, "not a text")
        }
        if let schemes = pass.member("preferredStyleSchemes") {
            let words = schemes.list?.map { $0.text?.octets }
            if words?.allSatisfy({ $0.map(PassFormat.styleSchemes.contains) == true }) != true {
                report.error(.memberType, at: "preferredStyleSchemes", "not a list of styles of the format")
            }
        }
        if let info = pass.member("userInfo"), !info.isObject, info.list == nil {
            report.warning(.extras, at: "userInfo", "not an object")
        }
    }
}

/// Forms of names.
enum PassName {
    /// Whether a text is `pass.` and a domain backwards.
    static func isPassType(_ text: String) -> Bool {
        let parts = text.octets.parts(between: UInt8(ascii: "."))
        return parts.count >= 3 && parts.first?.octets == "pass" && text.utf8.count <= 256
            && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") } }
    }

    /// Whether a text is ten capitals and digits.
    static func isTeam(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { isAlphanumeric($0) && !(0x61...0x7A).contains($0) }
    }

    /// Whether a text stands for itself in a path.
    static func needsNoEscape(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "~")
                    || $0 == UInt8(ascii: "-")
            }
    }

    private static func isAlphanumeric(_ octet: UInt8) -> Bool {
        (0x30...0x39).contains(octet) || (0x41...0x5A).contains(octet) || (0x61...0x7A).contains(octet)
    }
}

/// Forms of colours.
enum PassColor {
    /// Whether a text is `rgb(r, g, b)` with numbers up to 255.
    static func isDocumented(_ text: String) -> Bool {
        guard text.utf8.count <= 64, text.octets.starts(with: "rgb("), text.octets.ends(with: ")") else { return false }
        let parts = text.utf8.dropFirst(4).dropLast().split(
            separator: UInt8(ascii: ","),
            omittingEmptySubsequences: false
        )
        return parts.count == 3
            && parts.allSatisfy { part in
                let digits = part.drop { $0 == 0x20 }.prefix { $0 != 0x20 }
                guard part.drop(while: { $0 == 0x20 }).dropFirst(digits.count).allSatisfy({ $0 == 0x20 }),
                    (1...3).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) })
                else { return false }
                return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 255
            }
    }

    /// Whether a text is `#` and six hexadecimal digits.
    static func isHexadecimal(_ text: String) -> Bool {
        text.utf8.count == 7 && text.octets.starts(with: "#")
            && text.utf8.dropFirst().allSatisfy { Hex.value(of: $0) != nil }
    }
}
