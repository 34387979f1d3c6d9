import Cryptography
import Primitives
import Settings

/// Who may sign in: the lines of the file of `operators.keys_file`.
///
/// A line is `ROLE HASH NAME`: `view` or `change`, 64 hexadecimal digits, and the person's name, which may have blanks in it.
/// Empty lines and those that begin with `#` are passed over.
struct OperatorRoster: Sendable {
    /// A person in the file.
    struct Member: Sendable, Hashable {
        let name: String
        let role: OperatorRole
        /// Of the key.
        let hash: Digest32

        /// The line of the file.
        var line: String { "\(role.rawValue) \(hash.hexadecimal) \(name)" }
    }

    /// In the order of the file.
    let members: [Member]
    private let byName: [OctetText: Member]

    /// How many lines a file has at most.
    static let limit = 1_000
    /// The characters of a name.
    static let nameLength = 1...100
    /// The greatest file.
    static let byteLimit = 262_144

    /// Nobody.
    static let empty = OperatorRoster(members: [])

    private init(members: [Member]) {
        self.members = members
        byName = Dictionary(members.map { ($0.name.octets, $0) }) { first, _ in first }
    }

    /// The people of a file.
    ///
    /// - Throws: Everything that is wrong with it, by line and without its content.
    init(_ content: [UInt8]) throws(ConfigurationError) {
        guard let text = String(validating: content, as: UTF8.self) else {
            throw ConfigurationError(problems: ["not UTF-8"])
        }
        var members: [Member] = []
        var problems: [String] = []
        var names: Set<OctetText> = []
        var hashes: Set<Digest32> = []
        for (index, line) in text.octets.parts(between: 0x0A).enumerated() {
            let line = line.octets.ends(with: "\r") ? String(line.utf8.dropLast()) ?? "" : line
            guard !line.isEmpty, line.utf8.first != UInt8(ascii: "#") else { continue }
            guard let member = OperatorRoster.member(line) else {
                problems.append("line \(index + 1): not `ROLE HASH NAME`, as `sallyport operators` prints it")
                continue
            }
            if !names.insert(member.name.octets).inserted {
                problems.append("line \(index + 1): the name stands in a line before")
            }
            if !hashes.insert(member.hash).inserted {
                problems.append("line \(index + 1): the key stands in a line before")
            }
            members.append(member)
        }
        if members.count > OperatorRoster.limit { problems.append("more than \(OperatorRoster.limit) people") }
        guard problems.isEmpty else { throw ConfigurationError(problems: Array(problems.prefix(10))) }
        self.init(members: members)
    }

    private static func member(_ line: String) -> Member? {
        let parts = line.octets.parts(between: 0x20, limit: 2)
        guard parts.count == 3, let role = OperatorRole(word: parts[0].octets), parts[1].utf8.count == 64,
            let bytes = Hex.decode(parts[1]), let hash = Digest32(bytes.span),
            PrintableText.isGood(parts[2], length: nameLength)
        else { return nil }
        return Member(name: parts[2], role: role, hash: hash)
    }

    /// Reads a file that nobody but the program's user and group may open.
    ///
    /// - Throws: What is wrong with the file, without its content.
    static func read(_ path: String) throws(ConfigurationError) -> OperatorRoster {
        let content = try SecretFile.read(path, setting, limit: byteLimit)
        do {
            return try OperatorRoster(content)
        } catch {
            throw ConfigurationError(problems: error.problems.map { "\(setting): \(path): \($0)" })
        }
    }

    /// Whom a demo has.
    static let demoName = "demo"

    /// The file of a demo, with the key beside the line: whoever looks at a demo signs in, too.
    @Sendable static func demoFile(_ random: any RandomSource) -> [UInt8] {
        let key = OperatorKey.make(random: random)
        let line = Member(name: demoName, role: .change, hash: key.hash).line
        return Array("# The key of \(demoName): \(key.text)\n\(line)\n".utf8)
    }

    /// Names the file.
    static let setting = "operators.keys_file"

    /// The person of a name.
    func member(named name: String) -> Member? { byName[name.octets] }

    /// The person who shows a key; the same work whether or not there is somebody of the name.
    func member(named name: String, showing key: String) -> Member? {
        let member = member(named: name)
        let (shown, own) = (OperatorKey.hash(of: key).bytes, (member?.hash ?? OperatorRoster.nobody).bytes)
        return constantTimeEqual(shown.span, own.span) ? member : nil
    }

    /// The hash of no key that anybody knows.
    private static let nobody = SHA256.digest(of: [])
}
