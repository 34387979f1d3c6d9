import Primitives
import StrictJSON
import WalletPass
import Web

/// What a member is made of, as the shop's program sends it.
struct MemberDraft {
    let externalID: String
    let name: String?
    let points: Int
    /// `nil` where there is only one template.
    let template: String?
    /// What else the card shows, by the names of the template's places.
    let fields: [JSONMember]

    static let greatestPoints = 999_999_999
    private static let greatestFieldCount = 32
    /// Filled in from the member.
    static let ownFields: [OctetText] = ["name", "points", "memberId"]

    /// Reads a content; every member of it is known.
    ///
    /// - Parameters:
    ///   - idName: Which member is the shop's own id.
    ///   - generated: The id where the content has none; `nil` where it needs one.
    /// - Throws: `JSONRefusal`; a value that is none of ours is one of another type.
    init(_ body: JSONReader, idName: String = "externalId", or generated: String? = nil) throws(JSONRefusal) {
        var body = body
        guard let id = try body.optionalText(idName) ?? generated else { throw body.refusal(idName, .missing) }
        externalID = id
        guard MemberDraft.isText(externalID, 1...128) else {
            throw body.refusal(idName, .notA("1 to 128 octets of text"))
        }
        name = try body.optionalText("name")
        guard name.map({ MemberDraft.isText($0, 0...200) }) ?? true else {
            throw body.refusal("name", .notA("text of at most 200 octets"))
        }
        points = try body.optionalInteger("points") ?? 0
        guard (0...MemberDraft.greatestPoints).contains(points) else {
            throw body.refusal("points", .notA("a number from 0 to \(MemberDraft.greatestPoints)"))
        }
        template = try body.optionalText("template")
        fields = try MemberDraft.fields(&body)
        try body.end()
    }

    /// A member without anything but names, for old programs.
    init(externalID: String, name: String?) {
        self.externalID = externalID
        self.name = name
        points = 0
        template = nil
        fields = []
    }

    private static func fields(_ body: inout JSONReader) throws(JSONRefusal) -> [JSONMember] {
        guard let value = body.value("fields") else { return [] }
        guard case .object(let members) = value, members.count <= greatestFieldCount else {
            throw body.refusal("fields", .notA("an object of at most \(greatestFieldCount) members"))
        }
        for member in members {
            let isName = (1...64).contains(member.name.utf8.count) && member.name.utf8.allSatisfy(Base64URL.contains)
            let isValue = member.value.integer != nil || member.value.text.map { isText($0, 0...1_024) } ?? false
            guard isName, isValue, !ownFields.contains(member.name.octets) else {
                throw body.refusal(
                    "fields",
                    .notA("an object of texts and whole numbers under names of letters and digits")
                )
            }
        }
        return members
    }

    /// Whether a text can be stored and shown.
    static func isText(_ text: String, _ length: ClosedRange<Int>) -> Bool {
        length.contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    /// The template that the pass is made of.
    ///
    /// - Throws: `invalid_request` for one that is not there, and where a place of it stays empty; `unavailable` where none is.
    func chosen(from stock: PassStock) throws(Failure) -> PassTemplate {
        let usable = stock.usable
        guard !usable.isEmpty else { throw Failure(.unavailable, "wallet: no template can be used", retryAfter: 300) }
        let found: PassTemplate?
        if let name = template {
            found = usable.first { $0.name.octets == name.octets }
        } else {
            found = usable.count == 1 ? usable[0] : nil
        }
        guard let found else {
            throw Failure(.invalidRequest, message: "Name one of the shop's templates.", field: "template")
        }
        try fill(found)
        return found
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
