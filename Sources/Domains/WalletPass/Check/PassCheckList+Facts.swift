import Cryptography
import Primitives
import StrictJSON

// What a pass says to scanners, to the phone about places, and to the program.
extension PassCheckList {
    mutating func checkBarcodes() {
        if let old = pass.member("barcode") {
            checkBarcode(old, at: "barcode", PassFormat.oldBarcodes)
            if pass.member("barcodes") == nil {
                report.warning(
                    .oldBarcode,
                    at: "barcode",
                    "only the member of old systems",
                    remedy: "write barcodes, too"
                )
            }
        }
        guard let barcodes = pass.member("barcodes") else { return }
        guard let list = barcodes.list, !list.isEmpty else {
            return report.error(
                .barcode,
                at: "barcodes",
                "not a list with a barcode",
                remedy: "put the barcode into [ ]"
            )
        }
        for (index, barcode) in list.enumerated() {
            checkBarcode(barcode, at: "barcodes[\(index)]", PassFormat.barcodes)
        }
    }

    private mutating func checkBarcode(_ barcode: JSONValue, at place: String, _ formats: PassFormat.Words) {
        guard barcode.isObject else { return report.error(.barcode, at: place, "not an object") }
        if barcode.member("format")?.text.map({ formats.contains($0.octets) }) != true {
            let words = formats.map(\.string).sorted().joined(separator: ", ")
            report.error(.barcode, at: "\(place).format", "unknown", remedy: "write one of \(words)")
        }
        let message = barcode.member("message")
        if message?.text?.isEmpty != false {
            report.error(.barcode, at: "\(place).message", "missing, empty or not a text")
        }
        if let text = barcode.member("altText"), text.text == nil {
            report.error(.barcode, at: "\(place).altText", "not a text")
        }
        guard let name = barcode.member("messageEncoding")?.text, let encoding = BarcodeEncoding(name) else {
            let remedy = "write iso-8859-1 or utf-8"
            return report.error(.barcode, at: "\(place).messageEncoding", "no character set", remedy: remedy)
        }
        if let text = message?.text, !isOpen(message), !encoding.holds(text) {
            let remedy = "write \"messageEncoding\": \"utf-8\""
            report.error(.barcode, at: "\(place).message", "cannot be written in its messageEncoding", remedy: remedy)
        }
    }

    mutating func checkLocations() {
        if let distance = pass.member("maxDistance"), !isOpen(distance), !(distance.double.map { $0 > 0 } ?? false) {
            report.error(.relevance, at: "maxDistance", "not a number above 0")
        }
        guard let locations = pass.member("locations") else { return }
        guard let list = locations.list, list.count <= 10 else {
            return report.error(.relevance, at: "locations", "not a list of at most 10")
        }
        for (index, location) in list.enumerated() {
            for (name, limit) in [("latitude", 90.0), ("longitude", 180.0)]
            where !isNumber(location.member(name), upTo: limit) {
                report.error(.relevance, at: "locations[\(index)].\(name)", "not a number up to \(Int(limit))")
            }
            if let altitude = location.member("altitude"), !isNumber(altitude) {
                report.error(.relevance, at: "locations[\(index)].altitude", "not a number")
            }
            if let text = location.member("relevantText"), text.text == nil {
                report.error(.relevance, at: "locations[\(index)].relevantText", "not a text")
            }
        }
    }

    private func isNumber(_ value: JSONValue?, upTo limit: Double) -> Bool {
        isOpen(value) || value?.double.map { abs($0) <= limit } == true
    }

    mutating func checkBeacons() {
        guard let beacons = pass.member("beacons") else { return }
        guard let list = beacons.list, list.count <= 10 else {
            return report.error(.relevance, at: "beacons", "not a list of at most 10")
        }
        for (index, beacon) in list.enumerated() {
            let uuid = beacon.member("proximityUUID")
            if !isOpen(uuid), uuid?.text.map(PassCheckList.isUUID) != true {
                report.error(.relevance, at: "beacons[\(index)].proximityUUID", "not a UUID")
            }
            for name in ["major", "minor"] {
                guard let number = beacon.member(name), !isOpen(number),
                    number.integer.map({ (0...65_535).contains($0) }) != true
                else { continue }
                report.error(.relevance, at: "beacons[\(index)].\(name)", "not a whole number from 0 to 65535")
            }
        }
    }

    private static func isUUID(_ text: String) -> Bool {
        let parts = text.octets.parts(between: UInt8(ascii: "-"))
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && parts.allSatisfy { $0.utf8.allSatisfy { Hex.value(of: $0) != nil } }
    }

    // MARK: Web service

    mutating func checkWebService() {
        let (address, token) = (pass.member("webServiceURL"), pass.member("authenticationToken"))
        if (address == nil) != (token == nil) {
            report.error(.webService, at: "webServiceURL", "webServiceURL and authenticationToken go together")
        }
        if let address { checkAddress(address) }
        if let token { checkToken(token) }
    }

    private mutating func checkAddress(_ address: JSONValue) {
        let place = "webServiceURL"
        guard let text = address.text, let url = HTTPURL(text),
            !url.rest.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") })
        else { return report.error(.webService, at: place, "not an https URL without query") }
        guard url.isSecure || allowsHTTP else {
            return report.error(.webService, at: place, "phones take http in developer mode only", remedy: "use https")
        }
        let path = url.rest.octets
        if path.ends(with: "/v1") || path.ends(with: "/v1/") {
            report.warning(.webServiceQuality, at: place, "ends in /v1, which phones append", remedy: "remove /v1")
        }
    }

    private mutating func checkToken(_ token: JSONValue) {
        let place = "authenticationToken"
        guard let text = token.text, text.utf8.count >= 16 else {
            return report.error(.webService, at: place, "not a text of 16 characters or more")
        }
        guard text.octets.isWord else {
            return report.error(.webService, at: place, "not printable ASCII without blanks")
        }
        if Set(text.utf8).count < 8 { report.warning(.webServiceQuality, at: place, "has little variety") }
    }

    // MARK: NFC

    mutating func checkNFC() {
        guard let nfc = pass.member("nfc") else { return }
        guard let message = nfc.member("message")?.text, let key = nfc.member("encryptionPublicKey")?.text else {
            return report.error(.nfc, at: "nfc", "needs message and encryptionPublicKey")
        }
        if !isOpen(.string(message)), message.utf8.count > 64 {
            report.error(.nfc, at: "nfc.message", "longer than 64 bytes")
        }
        if !PassCheckList.isP256(key) {
            report.error(.nfc, at: "nfc.encryptionPublicKey", "not the Base64 of a key on the curve P-256")
        }
    }

    /// Whether a text is a SubjectPublicKeyInfo on P-256 by its structure, in Base64.
    private static func isP256(_ text: String) -> Bool {
        guard let bytes = Base64.decode(text), let parts = try? DERValue(bytes).values(of: DERValue.Tag.sequence),
            parts.count == 2, let algorithm = try? parts[0].values(of: DERValue.Tag.sequence), algorithm.count == 2,
            (try? algorithm[0].identifier()) == "1.2.840.10045.2.1",
            (try? algorithm[1].identifier()) == "1.2.840.10045.3.1.7", parts[1].tag == DERValue.Tag.bitString
        else { return false }
        // No unused bits, and a point with both coordinates or with one and a sign.
        let point = parts[1].content
        return point.count == 66 && point.starts(with: [0, 4])
            || point.count == 34 && (point.starts(with: [0, 2]) || point.starts(with: [0, 3]))
    }

    // MARK: Semantic tags

    mutating func checkSemantics(_ semantics: JSONValue?, at place: String) {
        guard let semantics else { return }
        guard semantics.isObject else { return report.error(.semantics, at: place, "not an object") }
        for member in semantics.members {
            let path = "\(place).\(member.name)"
            guard let type = SemanticType(of: member.name.octets) else {
                report.warning(.unknownMember, at: path, "no tag of the format")
                continue
            }
            if let expected = refusal(of: member.value, as: type) { report.error(.semantics, at: path, expected) }
        }
        if let type = semantics.member("eventType")?.text, !isOpen(.string(type)),
            !SemanticTag.eventTypes.contains(type.octets)
        {
            report.error(.semantics, at: "\(place).eventType", "unknown", remedy: "write PKEventTypeGeneric")
        }
    }

    /// Why a value is none of its type, or `nil`.
    private func refusal(of value: JSONValue, as type: SemanticType) -> String? {
        switch type {
        case .text: value.text == nil ? "not a text" : nil
        case .date: isDate(value) ? nil : "not a date with time of day and zone"
        case .number: isNumber(value) ? nil : "not a number"
        case .flag: value.flag == nil ? "neither true nor false" : nil
        case .list: value.list == nil ? "not a list" : nil
        case .object: value.isObject ? nil : "not an object"
        case .location:
            isNumber(value.member("latitude"), upTo: 90) && isNumber(value.member("longitude"), upTo: 180)
                ? nil : "needs latitude and longitude"
        case .money:
            value.member("amount")?.text != nil && isCurrency(value.member("currencyCode"))
                ? nil : "needs amount, a text, and currencyCode, three capitals"
        }
    }

    private func isCurrency(_ code: JSONValue?) -> Bool {
        isOpen(code) || code?.text.map(PassCheckList.isCurrency) == true
    }
}

/// The type of a semantic tag's value.
private enum SemanticType {
    case text
    case date
    case number
    case flag
    case list
    case object
    case location
    case money

    init?(of name: OctetText) {
        if SemanticTag.texts.contains(name) {
            self = .text
        } else if SemanticTag.dates.contains(name) || name.ends(with: "Date") {
            self = .date
        } else if SemanticTag.numbers.contains(name) {
            self = .number
        } else if SemanticTag.flags.contains(name) {
            self = .flag
        } else if SemanticTag.lists.contains(name) {
            self = .list
        } else if SemanticTag.money.contains(name) {
            self = .money
        } else if SemanticTag.locations.contains(name) {
            self = .location
        } else if SemanticTag.objects.contains(name) {
            self = .object
        } else {
            return nil
        }
    }
}

/// The character set of a barcode's message.
enum BarcodeEncoding {
    /// The characters of ASCII.
    case ascii
    /// The first 256 characters of Unicode.
    case latin1
    /// All characters.
    case unicode
    /// Another set of the register: what it holds is not checked.
    case other

    /// The set of a name of the register, letter case aside; `nil` for an unknown one.
    init?(_ name: String) {
        let name = name.octets.lowercase.octets
        switch name {
        case "us-ascii", "ascii": self = .ascii
        case "iso-8859-1", "iso_8859-1", "iso8859-1", "latin1", "l1": self = .latin1
        case "utf-8", "utf8", "utf-16", "utf-16be", "utf-16le": self = .unicode
        default:
            guard BarcodeEncoding.others.contains(name) else { return nil }
            self = .other
        }
    }

    private static let others = PassFormat.words(
        """
        iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-9 iso-8859-10 iso-8859-13 iso-8859-14
        iso-8859-15 iso-8859-16 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256
        windows-1257 windows-1258 shift_jis euc-jp iso-2022-jp gb2312 gbk gb18030 big5 euc-kr koi8-r koi8-u
        """
    )

    /// Whether a text can be written in the set.
    func holds(_ text: String) -> Bool {
        switch self {
        case .ascii: text.utf8.allSatisfy { $0 < 0x80 }
        case .latin1: text.unicodeScalars.allSatisfy { $0.value <= 0xFF }
        case .unicode, .other: true
        }
    }
}
