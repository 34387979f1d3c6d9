import Primitives

/// Judges the languages of a pass.
struct LocalizationCheck {
    let files: [PassFile]
    let images: [PassImage]
    var report: PassReport
    /// What could be read, by language.
    private(set) var strings: [OctetText: StringsFile] = [:]

    init(_ files: [PassFile], images: [PassImage], isStrict: Bool = false) {
        self.files = files
        self.images = images
        report = PassReport(isStrict: isStrict)
    }

    mutating func run() {
        var folders: Set<OctetText> = []
        for file in files {
            let (folder, base) = PassFileName.split(file.name)
            guard !folder.isEmpty else { continue }
            let top = folder.octets.parts(between: UInt8(ascii: "/"), limit: 1).first ?? folder
            checkFolder(
                top,
                isNested: folder.utf8.contains(UInt8(ascii: "/")),
                isNew: folders.insert(top.octets).inserted
            )
            guard base.octets == "pass.strings", folder.octets == top.octets, top.octets.ends(with: ".lproj") else {
                continue
            }
            read(file, language: String(decoding: folder.utf8.dropLast(6), as: UTF8.self))
        }
        checkKeys()
        let languages = folders.count { $0.ends(with: ".lproj") }
        if !strings.isEmpty, strings.count != languages {
            report.warning(.stringsMissing, at: PassFileName.strings, "missing in one of the languages")
        }
        checkImages()
    }

    private mutating func checkFolder(_ folder: String, isNested: Bool, isNew: Bool) {
        if isNested { report.error(.folder, at: folder, "a folder inside a folder") }
        guard isNew else { return }
        guard folder.octets.ends(with: ".lproj") else {
            return report.error(
                .folder,
                at: folder,
                "only folders of languages belong to a pass",
                remedy: "name it as en.lproj"
            )
        }
        if PassFileName.language(ofFolder: folder) == nil {
            report.error(
                .folder,
                at: folder,
                "not the name of a language",
                remedy: "name it as en.lproj or pt-BR.lproj"
            )
        }
    }

    private mutating func read(_ file: PassFile, language: String) {
        do throws(StringsError) {
            strings[language.octets] = try StringsFile(file.bytes)
        } catch {
            let place = error.line > 0 ? "\(file.name):\(error.line)" : file.name
            report.error(.strings, at: place, error.sentence, remedy: "write lines as \"KEY\" = \"text\";")
        }
    }

    private mutating func checkKeys() {
        let all = strings.values.reduce(into: Set<OctetText>()) { $0.formUnion($1.texts.keys) }
        for (language, file) in strings.sorted(by: { $0.key < $1.key }) {
            let missing = all.subtracting(file.texts.keys).sorted()
            guard let first = missing.first else { continue }
            let more = missing.count > 1 ? " and \(missing.count - 1) more" : ""
            report.warning(.stringsKeys, at: "\(language).lproj", "lacks the key \(first)\(more)")
        }
    }

    private mutating func checkImages() {
        var names: [OctetText: Set<OctetText>] = [:]
        var sets: [OctetText: Set<OctetText>] = [:]
        for image in images {
            names[image.folder.octets, default: []].insert(image.name.octets)
            sets[image.folder.octets, default: []].insert("\(image.name)@\(image.scale)x".octets)
        }
        let top = names.removeValue(forKey: "") ?? []
        sets.removeValue(forKey: "")
        if Set(sets.values).count > 1 {
            report.warning(.localizedImages, at: "", "the languages have different images")
        }
        for (folder, own) in names.sorted(by: { $0.key < $1.key }) {
            guard let hidden = own.intersection(top).min() else { continue }
            let remedy = "keep the image in the languages or at the top, not in both"
            report.warning(
                .hiddenImage,
                at: "\(folder)/\(hidden).png",
                "hidden by the image at the top",
                remedy: remedy
            )
        }
    }
}
