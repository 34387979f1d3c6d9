package import Cryptography
package import Primitives
package import StrictJSON
import ZIP

/// A pass that was opened, whatever it is worth.
package struct OpenedPass: Sendable {
    /// pass.json.
    package let pass: JSONValue
    /// All files, pass.json among them.
    package let files: [PassFile]
    /// The texts by language, for example under `pt-BR`.
    package let strings: [OctetText: StringsFile]

    /// The content of a file; `nil` where it is absent.
    package func bytes(of name: String) -> [UInt8]? { files.bytes(of: name) }

    /// The translation of a text, or the text itself where the language has none.
    package func text(_ key: String, in language: String) -> String {
        strings[language.octets]?.texts[key.octets] ?? key
    }
}

/// What a pass is worth.
package struct PassVerdict: Sendable {
    /// All that was found.
    package let findings: [PassFinding]
    /// The pass, where pass.json could be read.
    package let pass: OpenedPass?

    /// Whether a phone takes the pass.
    package var isConforming: Bool { !findings.contains { $0.severity == .error } }
}

/// Judges passes as phones do: archive, manifest, signature, certificates, pass.json, images and languages.
package struct PassJudge: Sendable {
    /// What a pass has to be beside conforming.
    package struct Expectations: Sendable {
        /// The pass type, where it must be a certain one.
        package var passType: String?
        /// The team, where it must be a certain one.
        package var team: String?
        /// The serial number, where it must be a certain one.
        package var serialNumber: String?
        /// The secret, where it must be a certain one.
        package var authenticationToken: Secret<String>?
        /// The address of the web service, where it must be a certain one.
        package var webServiceURL: String?
        /// Whether it must be as passes of this program are: several warnings are errors.
        package var isStrict = false
        /// Whether the web service may be without TLS.
        package var allowsHTTP = false

        /// No expectations.
        package init() {}
    }

    let trust: [X509Certificate]
    let intermediates: [X509Certificate]
    let expectations: Expectations

    /// A judge.
    ///
    /// - Parameters:
    ///   - trust: Roots; without any, a warning says that chains end nowhere.
    ///   - intermediates: Where there are any, a pass must have one of them inside.
    package init(
        trust: [X509Certificate],
        intermediates: [X509Certificate] = [],
        expecting expectations: Expectations = Expectations()
    ) {
        self.trust = trust
        self.intermediates = intermediates
        self.expectations = expectations
    }

    /// Judges a pass.
    ///
    /// - Parameters:
    ///   - archive: A `.pkpass` from anywhere.
    ///   - time: When certificates must be valid and the signature made.
    package func judge(_ archive: [UInt8], at time: WallTime) -> PassVerdict {
        var judgement = Judgement(self, time)
        judgement.run(archive)
        return judgement.verdict
    }

    /// Judges a bundle.
    ///
    /// - Parameters:
    ///   - archive: A `.pkpasses` from anywhere.
    /// - Returns: The verdict on the bundle itself, then one for each pass.
    package func judgeBundle(_ archive: [UInt8], at time: WallTime) -> [PassVerdict] {
        var limits = ZIPLimits()
        limits.archive = PassBundle.byteLimit
        limits.contents = 2 * PassBundle.byteLimit
        let opened = ZIPArchive(reading: archive, limits: limits)
        var report = PassReport(isStrict: expectations.isStrict)
        report.append(opened.faults)
        if !(1...PassBundle.limit).contains(opened.entries.count) {
            report.error(.bundleCount, "\(opened.entries.count) passes, not 1 to \(PassBundle.limit)")
        }
        if archive.count > PassBundle.byteLimit { report.error(.bundleSize, "more than \(PassBundle.byteLimit) bytes") }
        var verdicts: [PassVerdict] = []
        var passes: Set<[OctetText]> = []
        for entry in opened.entries.prefix(PassBundle.limit) {
            guard entry.name.octets.ends(with: ".pkpass"), !entry.name.utf8.contains(UInt8(ascii: "/")) else {
                report.error(.bundleFile, at: entry.name, "no .pkpass at the top")
                continue
            }
            let verdict = judge(entry.bytes, at: time)
            verdicts.append(verdict)
            guard let pass = verdict.pass?.pass, let type = pass.member("passTypeIdentifier")?.text,
                let serial = pass.member("serialNumber")?.text
            else { continue }
            if !passes.insert([type.octets, serial.octets]).inserted {
                report.error(.bundleRepeated, at: entry.name, "a pass with the same type and serial number")
            }
        }
        return [PassVerdict(findings: report.findings, pass: nil)] + verdicts
    }
}

extension PassReport {
    /// The faults of an archive under the rules that they break.
    mutating func append(_ faults: [ZIPFault]) {
        for fault in faults {
            switch fault.kind {
            case .folder: warning(.folderEntry, at: fault.name, fault.sentence)
            case .notAnArchive: error(.archive, at: fault.name, fault.sentence)
            case .repeatedName: error(.repeatedEntry, at: fault.name, fault.sentence)
            case .method: error(.compression, at: fault.name, fault.sentence)
            case .encrypted: error(.encryption, at: fault.name, fault.sentence)
            case .contradiction: error(.archiveHeaders, at: fault.name, fault.sentence)
            case .damaged: error(.archiveContent, at: fault.name, fault.sentence)
            case .unsafeName: error(.entryName, at: fault.name, fault.sentence)
            case .tooLarge: error(.size, at: fault.name, fault.sentence)
            }
        }
    }
}

/// One pass that is being judged.
private struct Judgement {
    private let judge: PassJudge
    private let time: WallTime
    private var report: PassReport
    private var files: [PassFile] = []
    private var pass: JSONValue?
    private var strings: [OctetText: StringsFile] = [:]

    init(_ judge: PassJudge, _ time: WallTime) {
        self.judge = judge
        self.time = time
        report = PassReport(isStrict: judge.expectations.isStrict)
    }

    var verdict: PassVerdict {
        PassVerdict(
            findings: report.findings,
            pass: pass.map { OpenedPass(pass: $0, files: files, strings: strings) }
        )
    }

    mutating func run(_ archive: [UInt8]) {
        let opened = ZIPArchive(reading: archive)
        report.append(opened.faults)
        files = opened.entries.map { PassFile(name: $0.name, bytes: $0.bytes) }
        for file in files where PassFileName.isJunk(file.name) {
            report.error(.junk, at: file.name, "left behind by a system for files", remedy: "leave it out")
        }
        // Not even a directory could be read: nothing else is worth a word.
        if files.isEmpty, opened.faults.contains(where: { $0.kind == .notAnArchive }) { return }
        for name in [PassFileName.pass, PassFileName.manifest, PassFileName.signature]
        where files.bytes(of: name) == nil {
            report.error(.missingFile, at: name, "missing at the top")
        }
        let style = checkPass()
        checkManifest()
        checkSignature()
        checkFiles(style)
    }

    private mutating func checkPass() -> PassStyle? {
        guard let bytes = files.bytes(of: PassFileName.pass) else { return nil }
        do throws(JSONError) {
            let pass = try PassJSON.parse(bytes)
            self.pass = pass
            let expectations = judge.expectations
            var checks = PassCheckList(
                pass,
                .pass,
                allowsHTTP: expectations.allowsHTTP,
                isStrict: expectations.isStrict
            )
            checks.run()
            report.append(checks.report)
            checkExpectations(pass)
            return checks.style
        } catch {
            report.error(.passForm, at: PassFileName.pass, PassJSON.sentence(error))
            return nil
        }
    }

    private mutating func checkExpectations(_ pass: JSONValue) {
        let expected = judge.expectations
        let members = [
            ("passTypeIdentifier", expected.passType), ("teamIdentifier", expected.team),
            ("serialNumber", expected.serialNumber), ("webServiceURL", expected.webServiceURL),
            ("authenticationToken", expected.authenticationToken?.reveal()),
        ]
        for (name, text) in members {
            guard let text, pass.member(name)?.text?.octets != text.octets else { continue }
            report.error(.expectation, at: name, "another one than was expected")
        }
    }

    private mutating func checkManifest() {
        guard let bytes = files.bytes(of: PassFileName.manifest) else { return }
        guard let manifest = try? PassJSON.parse(bytes), manifest.isObject else {
            return report.error(.manifestForm, at: PassFileName.manifest, "not a JSON object")
        }
        var contents: [OctetText: [UInt8]] = [:]
        for file in files { contents[file.name.octets] = file.bytes }
        contents[PassFileName.manifest.octets] = nil
        contents[PassFileName.signature.octets] = nil
        for member in manifest.members {
            let name = member.name
            if name.octets == "manifest.json" || name.octets == "signature" {
                report.error(.manifestItself, at: name, "the manifest lists \(name)")
            } else if let content = contents.removeValue(forKey: name.octets) {
                checkDigest(member.value.text ?? "", of: content, at: name)
            } else {
                report.error(.listedFile, at: name, "in the manifest, but not in the archive")
            }
        }
        for name in contents.keys.sorted() { report.error(.unlistedFile, at: name.string, "not in the manifest") }
    }

    private mutating func checkDigest(_ digest: String, of content: [UInt8], at name: String) {
        guard digest.utf8.count == 40, digest.utf8.allSatisfy({ Hex.value(of: $0) != nil }) else {
            return report.error(.manifestDigest, at: name, "no SHA-1 in hexadecimal digits")
        }
        if digest.octets.lowercase.octets != digest.octets {
            report.warning(.manifestCapitals, at: name, "a digest in capitals")
        }
        if digest.octets.lowercase.octets != PassManifest.digest(of: content).octets {
            report.error(.manifestDigest, at: name, "another content than the manifest says")
        }
    }

    private mutating func checkSignature() {
        guard let signature = files.bytes(of: PassFileName.signature),
            let manifest = files.bytes(of: PassFileName.manifest)
        else { return }
        var checks = SignatureCheck(
            signature: signature,
            manifest: manifest,
            pass: pass,
            judge: judge,
            time: time
        )
        checks.run()
        report.append(checks.report)
    }

    private mutating func checkFiles(_ style: PassStyle?) {
        let isStrict = judge.expectations.isStrict
        var images = ImageCheck(files, style: style, isStrict: isStrict)
        images.run()
        report.append(images.report)
        var localization = LocalizationCheck(files, images: images.images, isStrict: isStrict)
        localization.run()
        report.append(localization.report)
        strings = localization.strings
        for file in files where !isKnown(file.name) {
            report.warning(.fileName, at: file.name, "no file of the format")
        }
        if files.bytes(of: PassFileName.personalization) != nil, pass?.member("nfc") == nil {
            report.warning(.extras, at: PassFileName.personalization, "without effect where there is no nfc")
        }
    }

    private func isKnown(_ name: String) -> Bool {
        let known = [
            PassFileName.pass, PassFileName.manifest, PassFileName.signature, PassFileName.personalization,
        ]
        return known.contains { $0.octets == name.octets } || PassImage.isImage(name) || PassFileName.isJunk(name)
            || PassFileName.split(name).base.octets == PassFileName.strings.octets
    }
}
