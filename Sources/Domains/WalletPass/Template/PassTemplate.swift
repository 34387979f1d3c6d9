import Cryptography
package import Primitives
import StrictJSON
import ZIP

/// What all passes of one kind share: pass.json with placeholders, images and translations, checked and compressed once.
package struct PassTemplate: Sendable {
    /// What the operator calls it.
    package let name: String
    /// The look.
    package let style: PassStyle
    /// The pass type identifier.
    package let passType: String
    /// The team identifier.
    package let team: String
    /// SHA-256 of all files: another one is another template.
    package let digest: Digest32
    /// What phones take but show in another way than was meant, and files that are left out.
    package let warnings: [PassFinding]
    /// The names of all placeholders, in order.
    package let placeholders: [String]
    /// The languages that it is translated to, in order.
    package let languages: [String]
    let files: [TemplateFile]
    private let pass: JSONValue
    private let keys: Set<OctetText>

    /// The greatest number of bytes that the files may take in an archive: phones are slow above a few megabytes.
    package static let packedLimit = 2 << 20

    /// Reads a template.
    ///
    /// - Parameters:
    ///   - files: pass.json, images and folders of languages; others are left out with a warning.
    /// - Throws: All that is wrong at once.
    package init(name: String, files: [PassFile]) throws(PassTemplateError) {
        var reader = TemplateReader(files)
        reader.read()
        let findings = reader.report.findings
        let errors = findings.filter { $0.severity == .error }
        guard errors.isEmpty, let pass = reader.pass, let style = reader.style,
            let passType = pass.member("passTypeIdentifier")?.text, let team = pass.member("teamIdentifier")?.text
        else { throw PassTemplateError(findings: errors) }
        self.name = name
        (self.style, self.passType, self.team, self.pass) = (style, passType, team, pass)
        warnings = findings.filter { $0.severity == .warning }
        placeholders = reader.placeholders
        languages = reader.strings.keys.sorted().map(\.string)
        keys = reader.strings.values.reduce(into: []) { $0.formUnion($1.texts.keys) }
        self.files = reader.files.filter { $0.name.octets != "pass.json" }.map(TemplateFile.init)
            .sorted { $0.name.octets < $1.name.octets }
        digest = PassTemplate.digest(of: pass, self.files)
    }

    /// Fills the template.
    ///
    /// - Returns: pass.json with sorted members and without line breaks: equal values give equal bytes.
    /// - Throws: All that is wrong: values that are absent, and members that are against the format with these values.
    package func content(_ values: PassValues) throws(PassFillError) -> PassContent {
        var filler = PassFiller(values.fields, keys: keys)
        var members = filler.filled(pass).members
        members.append(JSONMember("serialNumber", .string(values.serialNumber)))
        if values.isFinal {
            members.removeAll { PassTemplate.endings.contains($0.name.octets) }
            members.append(JSONMember("voided", true))
        } else if let service = values.webService {
            members.append(JSONMember("webServiceURL", .string(service.url)))
        }
        // Before the secret: two versions that differ in nothing else are one.
        var digested = digest.bytes
        JSONValue.object(members).appendSorted(to: &digested)
        if !values.isFinal, let service = values.webService {
            members.append(JSONMember("authenticationToken", .string(service.authenticationToken.reveal())))
        }
        var checks = PassCheckList(.object(members), .pass, allowsHTTP: values.webService?.allowsHTTP ?? false)
        checks.run()
        let errors = (filler.report.findings + checks.report.findings).filter { $0.severity == .error }
        guard errors.isEmpty else { throw PassFillError(findings: errors) }
        var json: [UInt8] = []
        JSONValue.object(members).appendSorted(to: &json)
        return PassContent(
            json: json,
            digest: SHA256.digest(of: digested),
            passType: passType,
            serialNumber: values.serialNumber
        )
    }

    /// What the last version of a pass does not have: what lets it through at a till, and what brings it forward.
    private static let endings = PassFormat.words(
        "voided barcode barcodes nfc locations maxDistance beacons relevantDate relevantDates"
    )

    private static func digest(of pass: JSONValue, _ files: [TemplateFile]) -> Digest32 {
        var description: [UInt8] = []
        pass.appendSorted(to: &description)
        for file in files {
            description.append(0)
            description += file.name.utf8
            description.append(0)
            description += file.sha256.bytes
        }
        return SHA256.digest(of: description)
    }
}

/// A file that all passes of a template share.
struct TemplateFile: Sendable {
    let name: String
    /// As manifests have it.
    let sha1: String
    let sha256: Digest32
    let body: ZIPBody

    init(_ file: PassFile) {
        name = file.name
        sha1 = PassManifest.digest(of: file.bytes)
        sha256 = SHA256.digest(of: file.bytes)
        body = ZIPBody(file.bytes)
    }
}

/// Reads the files of a template and collects all that is wrong.
private struct TemplateReader {
    private(set) var report = PassReport()
    private(set) var pass: JSONValue?
    private(set) var style: PassStyle?
    private(set) var placeholders: [String] = []
    private var names: Set<OctetText> = []
    private(set) var strings: [OctetText: StringsFile] = [:]
    /// Without those that are left out.
    private(set) var files: [PassFile] = []
    private let given: [PassFile]

    init(_ files: [PassFile]) {
        given = files
    }

    mutating func read() {
        selectFiles()
        readPass()
        var images = ImageCheck(files, style: style)
        images.run()
        append(images.report)
        var localization = LocalizationCheck(files, images: images.images)
        localization.run()
        append(localization.report)
        strings = localization.strings
        let size = files.reduce(0) { $0 + ZIPBody($1.bytes).packedSize }
        if size > PassTemplate.packedLimit {
            let text = "\(size) bytes when packed, of which \(PassTemplate.packedLimit) are allowed"
            report.error(.size, at: "", text, remedy: "make the images smaller")
        }
    }

    /// Findings of the format; an icon without its scales is an error here.
    private mutating func append(_ other: PassReport) {
        for finding in other.findings {
            if finding.check == .iconScales {
                report.error(finding.check, at: finding.place, finding.text, remedy: finding.remedy)
            } else if finding.severity == .error {
                report.error(finding.check, at: finding.place, finding.text, remedy: finding.remedy)
            } else {
                report.warning(finding.check, at: finding.place, finding.text, remedy: finding.remedy)
            }
        }
    }

    private mutating func selectFiles() {
        var names: Set<OctetText> = []
        for file in given {
            let base = PassFileName.split(file.name).base.octets
            let isKnown =
                file.name.octets == "pass.json" || base == "pass.strings"
                || PassImage.parts(of: base.string) != nil
            guard isKnown else {
                report.warning(.fileName, at: file.name, "no file of a template, left out", remedy: "remove it")
                continue
            }
            guard names.insert(file.name.octets.lowercase.octets).inserted else {
                report.error(.repeatedEntry, at: file.name, "a second file of this name")
                continue
            }
            files.append(file)
        }
    }

    private mutating func readPass() {
        guard let bytes = files.bytes(of: "pass.json") else {
            return report.error(
                .missingFile,
                at: PassFileName.pass,
                "missing",
                remedy: "put it at the top of the template"
            )
        }
        do throws(JSONError) {
            let pass = try PassJSON.parse(bytes)
            self.pass = pass
            var checks = PassCheckList(pass, .template)
            checks.run()
            append(checks.report)
            style = checks.style
            if style == nil, pass.member(PassFormat.poster) != nil {
                report.error(.style, at: PassFormat.poster, "needs one of the styles of older phones beside it")
            }
            checkReserved(pass)
            findPlaceholders(pass, at: "")
        } catch {
            report.error(.passForm, at: PassFileName.pass, PassJSON.sentence(error))
        }
    }

    private mutating func checkReserved(_ pass: JSONValue) {
        for name in ["serialNumber", "webServiceURL", "authenticationToken"] where pass.member(name) != nil {
            report.error(.reserved, at: name, "written by the program for each pass", remedy: "remove it")
        }
    }

    private mutating func findPlaceholders(_ value: JSONValue, at path: String) {
        switch value {
        case .object(let members):
            for member in members {
                findPlaceholders(member.value, at: path.isEmpty ? member.name : "\(path).\(member.name)")
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() { findPlaceholders(element, at: "\(path)[\(index)]") }
        case .string(let text):
            let template = PlaceholderText(text)
            if template.isMalformed {
                report.error(.placeholder, at: path, "two braces without a placeholder", remedy: "write {{name}}")
            }
            for name in template.names where names.insert(name.octets).inserted { placeholders.append(name) }
            if template.beginsOpen && PassFormat.addresses.contains(path.octets) && path.octets.ends(with: "URL")
                || path.octets.ends(with: ".attributedValue") && template.hasOpenLink
            {
                report.error(
                    .placeholder,
                    at: path,
                    "a placeholder where an address begins",
                    remedy: "begin with https://"
                )
            }
        case .null, .bool, .number: break
        }
    }
}

/// pass.json and manifest.json as text.
enum PassJSON {
    static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        try JSONParser.parse(bytes, depth: 32, values: 100_000)
    }

    /// A sentence for people; of the file no more than the path of a member.
    static func sentence(_ error: JSONError) -> String {
        switch error {
        case .malformed(let offset): "no JSON at byte \(offset)"
        case .tooDeep: "lists and objects too deep inside each other"
        case .tooMany: "too many values"
        case .repeated: "a member twice"
        case .badText(let offset): "no UTF-8 at byte \(offset)"
        }
    }
}
