import Primitives
import StrictJSON

/// A member as the management pages show it: read from what the database says of one, so without a secret.
struct MemberView {
    let account: UUIDBytes
    let externalID: String
    /// `nil` behind the end, and where the shop has given none.
    let name: String?
    let points: Int
    let state: PassState
    let created: WallTime?
    let ended: WallTime?
    let passes: [PassView]

    /// Reads a member; `nil` for another object.
    init?(_ json: JSONValue) {
        guard let account = json["accountId"]?.text.flatMap({ UUIDBytes($0) }), let points = json["points"]?.integer,
            let externalID = json["externalId"]?.text
        else { return nil }
        self.account = account
        self.points = points
        self.externalID = externalID
        name = json["name"]?.text
        state = PassState(json["state"])
        created = json.time("createdAt")
        ended = json.time("endedAt")
        passes = (json["passes"]?.elements ?? []).map(PassView.init)
    }

    /// What people call the member.
    var title: String { name.flatMap { $0.isEmpty ? nil : $0 } ?? externalID }
    /// How many phones have the card.
    var devices: Int { passes.reduce(0) { $0 + $1.devices } }
    /// Whether anything can still be changed.
    var isOpen: Bool { ended == nil }
}

/// What has become of a pass.
enum PassState: String, CaseIterable {
    case issued, installed, removed, lost, voided

    /// Of a member without a pass, too: as if it were just issued.
    init(_ json: JSONValue?) { self = json?.text.flatMap { PassState(word: $0.octets) } ?? .issued }
}

/// A pass with its phones and what happened to it.
struct PassView {
    let type: String
    let serial: String
    let template: String
    let state: PassState
    let version: Int
    /// What a phone has fetched last; `nil` before the first.
    let fetchedVersion: Int?
    let devices: Int
    let linkOpened: WallTime?
    let registered: WallTime?
    let lastRegistered: WallTime?
    let fetched: WallTime?
    let phones: [PhoneView]
    /// Newest first.
    let history: [HappeningView]
    /// What phones say has gone wrong, newest first.
    let errors: [HappeningView]

    init(_ json: JSONValue) {
        type = json["passType"]?.text ?? ""
        serial = json["serialNumber"]?.text ?? ""
        template = json["template"]?.text ?? ""
        state = PassState(json["state"])
        version = json["version"]?.integer ?? 0
        fetchedVersion = json["fetchedVersion"]?.integer
        devices = json["devices"]?.integer ?? 0
        linkOpened = json.time("linkOpenedAt")
        registered = json.time("registeredAt")
        lastRegistered = json.time("lastRegisteredAt")
        fetched = json.time("fetchedAt")
        phones = (json["phones"]?.elements ?? []).map(PhoneView.init)
        history = (json["history"]?.elements ?? []).map(HappeningView.init)
        errors = (json["errors"]?.elements ?? []).map(HappeningView.init)
    }
}

/// A phone that wants to hear of a pass.
struct PhoneView {
    /// The beginning of a hash.
    let device: String
    let registered: WallTime?
    let seen: WallTime?
    /// When a push was last answered, or was not.
    let pushed: WallTime?
    let pushStatus: Int?
    /// Why a push was refused, in a word of the push service.
    let pushReason: String?

    init(_ json: JSONValue) {
        pushed = json.time("pushedAt")
        pushStatus = json["pushStatus"]?.integer
        pushReason = json["pushReason"]?.text
        device = json["device"]?.text ?? ""
        registered = json.time("registeredAt")
        seen = json.time("seenAt")
    }
}

/// Something that happened to a pass, or that a phone says of it.
struct HappeningView {
    let at: WallTime?
    let kind: String
    let device: String
    /// What there is to say, in one line.
    let detail: String

    init(_ json: JSONValue) {
        at = json.time("at")
        kind = json["kind"]?.text ?? ""
        device = json["device"]?.text ?? ""
        let about = (json["detail"]?.members ?? []).map { "\($0.name) \($0.value.text ?? $0.value.description)" }
        detail = json["message"]?.text ?? about.joined(separator: ", ")
    }
}

extension JSONValue {
    fileprivate func time(_ name: String) -> WallTime? { self[name]?.text.flatMap { CalendarDate.time(of: $0) } }
}
