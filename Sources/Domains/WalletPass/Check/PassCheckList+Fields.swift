import Primitives
import StrictJSON

extension PassCheckList {
    mutating func checkStyles() {
        let styles = PassStyle.allCases.map(\.rawValue).filter { pass.member($0) != nil }
        let hasPoster = pass.member(PassFormat.poster) != nil
        let names = PassStyle.allCases.map(\.rawValue).joined(separator: ", ")
        if styles.count > 1 { report.error(.style, at: styles.joined(separator: ", "), "more than one style") }
        if styles.isEmpty, hasPoster {
            report.warning(.style, at: PassFormat.poster, "older phones need another style beside it")
        } else if styles.isEmpty {
            report.error(.style, at: PassFileName.pass, "no style", remedy: "add one of \(names)")
        }
        for style in styles + (hasPoster ? [PassFormat.poster] : []) { checkStyle(style) }
    }

    private mutating func checkStyle(_ name: String) {
        guard let body = pass.member(name), body.isObject else {
            return report.error(.field, at: name, "not an object")
        }
        var keys: Set<OctetText> = []
        for member in body.members {
            let place = "\(name).\(member.name)"
            if PassFormat.fieldGroups.contains(member.name.octets) {
                guard let fields = member.value.list else {
                    report.error(.field, at: place, "not a list")
                    continue
                }
                for (index, field) in fields.enumerated() {
                    let location = FieldPlace(style: name, group: member.name, path: "\(place)[\(index)]")
                    checkField(field, location, &keys)
                }
            } else if member.name.octets != "transitType" {
                report.warning(.unknownMember, at: place, "no member of the format")
            }
        }
        checkTransitType(body.member("transitType"), of: name)
        checkCounts(of: body, style: name)
    }

    private mutating func checkTransitType(_ type: JSONValue?, of style: String) {
        let isBoardingPass = style.octets == PassStyle.boardingPass.rawValue.octets
        if !isBoardingPass, type != nil {
            report.error(.transitType, at: "\(style).transitType", "for boarding passes only")
        } else if isBoardingPass, type?.text.map({ PassFormat.transitTypes.contains($0.octets) }) != true {
            report.error(
                .transitType,
                at: "\(style).transitType",
                "no transit type",
                remedy: "write PKTransitTypeGeneric"
            )
        }
    }

    private mutating func checkCounts(of body: JSONValue, style: String) {
        func count(_ group: String) -> Int { body.member(group)?.elements.count ?? 0 }
        func check(_ group: String, _ count: Int, _ limit: Int) {
            guard count > limit else { return }
            let text = "\(count) fields, of which phones show \(limit)"
            report.warning(.fieldCount, at: "\(style).\(group)", text, remedy: "move the others to backFields")
        }
        let style = PassStyle(word: style.octets)
        check("headerFields", count("headerFields"), 3)
        check("primaryFields", count("primaryFields"), style == .boardingPass ? 2 : style == nil ? 4 : 1)
        let (secondary, auxiliary) = (count("secondaryFields"), count("auxiliaryFields"))
        switch style {
        case .coupon, .storeCard: check("secondaryFields and auxiliaryFields", secondary + auxiliary, 4)
        case .boardingPass:
            check("secondaryFields", secondary, 4)
            check("auxiliaryFields", auxiliary, 5)
        case .eventTicket:
            check("secondaryFields", secondary, 4)
            check("auxiliaryFields", auxiliary, 8)
        case .generic:
            check("secondaryFields", secondary, 4)
            check("auxiliaryFields", auxiliary, 4)
        case nil: break
        }
    }

    /// Where a field stands.
    private struct FieldPlace {
        let style: String
        let group: String
        var path: String
    }

    private mutating func checkField(_ field: JSONValue, _ place: FieldPlace, _ keys: inout Set<OctetText>) {
        guard field.isObject else { return report.error(.field, at: place.path, "not an object") }
        var place = place
        if let key = field.member("key")?.text, !key.isEmpty {
            place.path += "(\(key))"
            if !keys.insert(key.octets).inserted {
                report.error(
                    .field,
                    at: place.path,
                    "a second field with this key",
                    remedy: "give every field its own key"
                )
            }
            if isOpen(field.member("key")) { report.error(.field, at: place.path, "a placeholder in the key") }
        } else {
            report.error(.field, at: place.path, "no key")
        }
        let value = field.member("value")
        if value?.text == nil, value?.isNumber != true {
            report.error(.field, at: place.path, "no value, or neither a text nor a number")
        }
        if let label = field.member("label"), label.text == nil {
            report.error(.field, at: place.path, "a label that is not a text")
        }
        checkOptions(of: field, place)
        checkFormats(of: field, place)
        checkTexts(of: field, place)
        checkSemantics(field.member("semantics"), at: "\(place.path).semantics")
        for name in field.members.map(\.name) where !PassFormat.fieldMembers.contains(name.octets) {
            report.warning(.unknownMember, at: "\(place.path).\(name)", "no member of the format")
        }
    }

    private mutating func checkOptions(of field: JSONValue, _ place: FieldPlace) {
        for choice in PassFormat.choices {
            guard let word = field.member(choice.name) else { continue }
            guard word.text.map({ choice.words.contains($0.octets) }) == true else {
                let words = choice.words.map(\.string).sorted().joined(separator: ", ")
                report.error(
                    .fieldOption,
                    at: "\(place.path).\(choice.name)",
                    "unknown",
                    remedy: "write one of \(words)"
                )
                continue
            }
        }
        if let types = field.member("dataDetectorTypes"),
            types.list?.allSatisfy({ $0.text.map { PassFormat.detectors.contains($0.octets) } == true }) != true
        {
            report.error(.fieldOption, at: "\(place.path).dataDetectorTypes", "not a list of detectors of the format")
        }
        for name in ["ignoresTimeZone", "isRelative"] {
            guard let flag = field.member(name), flag.flag == nil else { continue }
            report.error(.fieldOption, at: "\(place.path).\(name)", "neither true nor false")
        }
        if let row = field.member("row") {
            let isTicket = place.style.octets == PassStyle.eventTicket.rawValue.octets
            if !isTicket || place.group.octets != "auxiliaryFields" || (row.integer != 0 && row.integer != 1) {
                report.error(
                    .fieldOption,
                    at: "\(place.path).row",
                    "0 or 1, for auxiliary fields of event tickets only"
                )
            }
        }
        let hasNoAlignment = place.group.octets == "primaryFields" || place.group.octets == "backFields"
        if hasNoAlignment, field.member("textAlignment") != nil {
            report.warning(.alignment, at: "\(place.path).textAlignment", "without effect here", remedy: "remove it")
        }
    }

    private mutating func checkFormats(of field: JSONValue, _ place: FieldPlace) {
        let value = field.member("value")
        let hasDate = ["dateStyle", "timeStyle", "isRelative"].contains { field.member($0) != nil }
        if hasDate, !isDate(value) {
            let text = "a date style needs a date with time of day and zone"
            report.error(.date, at: place.path, text, remedy: PassCheckList.dateRemedy)
        }
        if field.member("numberStyle") != nil, !isNumber(value) {
            report.error(.number, at: place.path, "a number style needs a number", remedy: "write 1200, not \"1200\"")
        }
        guard let code = field.member("currencyCode") else { return }
        if !isOpen(code), code.text.map(PassCheckList.isCurrency) != true {
            report.error(.number, at: "\(place.path).currencyCode", "not three capitals")
        }
        if !isNumber(value) {
            report.error(.number, at: place.path, "a currency needs a number", remedy: "write 1200, not \"1200\"")
        }
        if field.member("numberStyle") != nil {
            report.warning(.number, at: place.path, "currencyCode together with numberStyle", remedy: "remove one")
        }
    }

    static func isCurrency(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    }

    private mutating func checkTexts(of field: JSONValue, _ place: FieldPlace) {
        if let message = field.member("changeMessage") {
            let path = "\(place.path).changeMessage"
            if isOpen(message) {
                report.error(.changeMessage, at: path, "a placeholder in the text of a notice", remedy: "write %@")
            }
            if let text = message.text {
                let hasMark = zip(text.utf8, text.utf8.dropFirst()).contains {
                    $0 == UInt8(ascii: "%") && $1 == UInt8(ascii: "@")
                }
                if !hasMark { report.warning(.changeMessage, at: path, "has no %@ for the new value") }
            } else {
                report.error(.changeMessage, at: path, "not a text")
            }
        }
        guard let attributed = field.member("attributedValue"), !attributed.isNumber else { return }
        guard let text = attributed.text, Markup.hasLinksOnly(text) else {
            return report.error(
                .attributedValue,
                at: "\(place.path).attributedValue",
                "markup other than <a href=\"...\">"
            )
        }
    }
}

/// The markup of texts with links.
enum Markup {
    /// Whether every tag begins or ends a link with an address in quotes.
    static func hasLinksOnly(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            guard let end = rest[start...].firstIndex(of: UInt8(ascii: ">")) else { return true }
            guard isLink(rest[(start + 1)..<end]) else { return false }
            rest = rest[(end + 1)...]
        }
        return true
    }

    private static func isLink(_ tag: ArraySlice<UInt8>) -> Bool {
        if tag.elementsEqual("/a".utf8) { return true }
        guard tag.first == UInt8(ascii: "a") else { return false }
        let attribute = trimmed(tag.dropFirst())
        guard attribute.count < tag.count - 1, attribute.starts(with: "href".utf8) else { return false }
        let assignment = trimmed(attribute.dropFirst(4))
        guard assignment.first == UInt8(ascii: "=") else { return false }
        let address = trimmed(assignment.dropFirst())
        guard address.count >= 2, let quote = address.first, address.last == quote,
            quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        else { return false }
        return !address.dropFirst().dropLast().contains(quote)
    }

    private static func trimmed(_ octets: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var octets = octets.drop { $0 <= 0x20 }
        while let last = octets.last, last <= 0x20 { octets.removeLast() }
        return octets
    }
}
