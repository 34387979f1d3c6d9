import Accounts
import Primitives
import ServiceAPI
import StrictJSON
import WalletPass
import Web

/// What a member is made of, as the shop's program sends it.
struct MemberDraft {
    let externalID: String
    let name: String?
    let points: Int
    /// `nil` for the default.
    let template: String?
    /// What else the card shows, by the names of the template's places.
    let fields: [JSONMember]

    static let greatestPoints = 999_999_999
    /// Characters of a name.
    static let nameLength = 0...200
    /// Octets of the name of a folder.
    static let templateLength = 1...255
    private static let greatestFieldCount = 32
    /// Characters of a text that the card shows.
    private static let fieldLength = 0...1_024
    /// What every reader of JSON keeps to the last digit.
    private static let fieldNumbers = -9_007_199_254_740_991...9_007_199_254_740_991
    /// Filled in from the member.
    static let ownFields: [OctetText] = ["name", "points", "memberId"]

    /// Reads a content; every member of it is known.
    ///
    /// - Parameters:
    ///   - idName: Which member is the shop's own id.
    ///   - generated: The id where the content has none; `nil` where it needs one.
    /// - Throws: `invalid_request`.
    init(_ body: JSONReader, idName: String = "externalId", or generated: String? = nil) throws(Failure) {
        let read = try Failure.reading { () throws(JSONRefusal) in
            try MemberDraft.read(body, idName: idName, or: generated)
        }
        try Account.checkExternalID(read.id, field: idName)
        externalID = read.id
        name = if let name = read.name { try Failure.cleaned(name, "name", MemberDraft.nameLength) } else { nil }
        (points, template) = (read.points, read.template)
        fields = try MemberDraft.fields(read.fields)
    }

    /// What a content has, by the types of its values.
    private struct Content {
        let id: String
        let name: String?
        let points: Int
        let template: String?
        let fields: JSONValue?
    }

    private static func read(_ body: JSONReader, idName: String, or generated: String?) throws(JSONRefusal) -> Content {
        var body = body
        guard let id = try body.optionalText(idName) ?? generated else { throw body.refusal(idName, .missing) }
        let content = Content(
            id: id,
            name: try body.optionalText("name"),
            points: try body.optionalInteger("points") ?? 0,
            template: try body.optionalText("template"),
            fields: body.value("fields")
        )
        guard (0...greatestPoints).contains(content.points) else {
            throw body.refusal("points", .notA("a number from 0 to \(greatestPoints)"))
        }
        try body.end()
        return content
    }

    /// A member without anything but names, for old programs.
    init(externalID: String, name: String?) {
        self.externalID = externalID
        self.name = name
        points = 0
        template = nil
        fields = []
    }

    /// What a template shows beside the member, as the description of the interface has it.
    static let fieldSchema = Schema.map(
        names: .matching("^[A-Za-z0-9_-]{1,64}$"),
        values: .either([.printable(fieldLength), .integer(fieldNumbers)]),
        atMost: greatestFieldCount,
        without: ownFields.map(\.string)
    )

    private static func fields(_ value: JSONValue?) throws(Failure) -> [JSONMember] {
        guard let value else { return [] }
        guard case .object(let members) = value, members.count <= greatestFieldCount else {
            throw Failure(JSONRefusal("fields", .notA("an object of at most \(greatestFieldCount) values")))
        }
        var fields: [JSONMember] = []
        for member in members { fields.append(JSONMember(member.name, try fieldValue(of: member))) }
        return fields
    }

    private static func fieldValue(of member: JSONMember) throws(Failure) -> JSONValue {
        let isName = (1...64).contains(member.name.utf8.count) && member.name.utf8.allSatisfy(Base64URL.contains)
        guard isName, !ownFields.contains(member.name.octets) else {
            let names = ownFields.map(\.string).joined(separator: ", ")
            let rule = "Names in fields have 1 to 64 letters, digits, - and _; \(names) are the member's own."
            throw Failure(.invalidRequest, message: rule, field: "fields.\(member.name)")
        }
        if let text = member.value.text {
            return .string(try Failure.cleaned(text, "fields.\(member.name)", fieldLength))
        }
        guard let number = member.value.integer, fieldNumbers.contains(number) else {
            throw Failure(JSONRefusal("fields.\(member.name)", .notA("a text or a whole number of at most 53 bits")))
        }
        return JSONValue(number)
    }

    /// The template that the pass is made of.
    ///
    /// - Throws: `invalid_request` for one that is not there, where one has to be named, and where a place of it stays empty;
    ///   `unavailable` where none is, or not the default.
    func chosen(from stock: PassStock) throws(Failure) -> PassTemplate {
        let usable = stock.usable
        guard !usable.isEmpty else { throw Failure(.unavailable, "wallet: no template can be used", retryAfter: 300) }
        let found: PassTemplate
        if let name = template {
            guard let named = stock.usable(name) else {
                throw refusal("There is no such template; there are: ", usable)
            }
            found = named
        } else if let name = stock.defaultTemplate {
            guard let usual = stock.usable(name) else {
                throw Failure(.unavailable, "wallet: the template \(name) cannot be used", retryAfter: 300)
            }
            found = usual
        } else {
            guard usable.count == 1 else {
                throw refusal("The shop has several templates, and none of them is the default. Name one of: ", usable)
            }
            found = usable[0]
        }
        try fill(found)
        return found
    }

    private func refusal(_ words: String, _ usable: [PassTemplate]) -> Failure {
        let names = usable.map(\.name).joined(separator: ", ")
        return Failure(.invalidRequest, message: "\(words)\(names).", field: "template")
    }

    /// Fills the template once, so that a card that cannot be made is refused to whoever asks for it, and not to phones.
    private func fill(_ template: PassTemplate) throws(Failure) {
        let own = [
            JSONMember("name", .string(name ?? "")), JSONMember("points", JSONValue(points)),
            JSONMember("memberId", .string(externalID)),
        ]
        do {
            let values = try PassFields.read(JSONValue.object(fields + own).bytes)
            _ = try template.content(PassValues(serialNumber: "0", fields: values))
        } catch {
            let place = (error as? PassFillError)?.findings.first?.description ?? "\(error)"
            throw Failure(.invalidRequest, place, message: "The template cannot be filled: \(place)", field: "fields")
        }
    }
}
