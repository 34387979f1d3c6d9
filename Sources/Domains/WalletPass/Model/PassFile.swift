import Primitives

/// A file of a pass.
package struct PassFile: Sendable {
    /// Relative to the top of the pass, for example `icon@2x.png` or `ja.lproj/pass.strings`.
    package let name: String
    /// The content.
    package let bytes: [UInt8]

    /// The given file.
    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}

extension [PassFile] {
    /// The content of the file with a name.
    func bytes(of name: String) -> [UInt8]? { first { $0.name.octets == name.octets }?.bytes }
}

/// Names that the format gives to files.
enum PassFileName {
    static let pass = "pass.json"
    static let manifest = "manifest.json"
    static let signature = "signature"
    static let personalization = "personalization.json"
    static let strings = "pass.strings"

    /// Whether a system for files left it behind; it belongs to no pass.
    static func isJunk(_ name: String) -> Bool {
        let parts = name.octets.parts(between: UInt8(ascii: "/"))
        guard let last = parts.last?.octets else { return false }
        return last == ".DS_Store" || last.starts(with: "._") || last == "Thumbs.db" || last == "desktop.ini"
            || parts.first?.octets == "__MACOSX"
    }

    /// The folder and the name in it; the folder is empty at the top.
    static func split(_ name: String) -> (folder: String, base: String) {
        guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", name) }
        return (String(name[..<slash]), String(name[name.utf8.index(after: slash)...]))
    }

    /// The language of a folder's name, for example `pt-BR` of `pt-BR.lproj`; `nil` where it is no such name.
    static func language(ofFolder folder: String) -> String? {
        guard folder.octets.ends(with: ".lproj") else { return nil }
        let language = String(decoding: folder.utf8.dropLast(6), as: UTF8.self)
        var parts = language.octets.parts(between: UInt8(ascii: "-"))[...]
        guard let code = parts.popFirst(), (2...3).contains(code.utf8.count), code.utf8.allSatisfy(isLower) else {
            return nil
        }
        if let script = parts.first, script.utf8.count == 4, let capital = script.utf8.first, isUpper(capital),
            script.utf8.dropFirst().allSatisfy(isLower)
        {
            parts.removeFirst()
        }
        if let region = parts.first,
            region.utf8.count == 2 && region.utf8.allSatisfy(isUpper)
                || region.utf8.count == 3 && region.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        {
            parts.removeFirst()
        }
        return parts.isEmpty ? language : nil
    }

    private static func isLower(_ octet: UInt8) -> Bool { (0x61...0x7A).contains(octet) }

    private static func isUpper(_ octet: UInt8) -> Bool { (0x41...0x5A).contains(octet) }
}
