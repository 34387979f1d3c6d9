import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON

/// Something that a person does with a phone.
struct PhoneOrder: Sendable {
    /// What is done.
    enum Kind: Sendable {
        /// Opens a link to a pass.
        case open(String)
        /// Opens a file.
        case add([UInt8])
        /// A push has come; `nil` for each type that is on the phone.
        case wake(String?)
        /// The question without a push.
        case daily
        case remove(type: String, serial: String)
        case updates(Bool)
        case online(Bool)
        /// Forgets everything.
        ///
        /// - Parameter isReported: Whether the push service knows.
        case wipe(isReported: Bool)
        case newToken
        /// Gets rid of the phone.
        case discard
    }

    let phone: Int
    let kind: Kind
}

extension PhoneOrder {
    /// The order of a request; `nil` where it is none.
    ///
    /// - Throws: 400 for one that lacks something.
    init?(_ request: SimulatorRequest) throws(ControlError) {
        let path = request.path.octets.parts(between: UInt8(ascii: "/"), keepingEmpty: false)
        guard path.count >= 3, path[0].octets == "_sim", path[1].octets == "phones", let number = Int(path[2])
        else { return nil }
        phone = number
        if request.method == "DELETE", path.count == 3 {
            kind = .discard
        } else if request.method == "POST", path.count == 4 {
            guard let kind = try Self.kind(path[3], request) else { return nil }
            self.kind = kind
        } else {
            return nil
        }
    }

    private static func kind(_ verb: String, _ request: SimulatorRequest) throws(ControlError) -> Kind? {
        let isFile = request.first("content-type")?.octets.starts(with: "application/vnd.apple.pkpass") ?? false
        if verb.octets == "add", isFile { return .add(request.body) }
        let words = try words(of: request)
        switch verb.octets {
        case "add":
            guard let url = words["url"], !url.isEmpty else { throw ControlError("url is required, or a file.") }
            return .open(url)
        case "wake": return .wake(words["type"])
        case "daily": return .daily
        case "remove":
            guard let type = words["type"], let serial = words["serial"] else {
                throw ControlError("type and serial are required.")
            }
            return .remove(type: type, serial: serial)
        case "updates": return .updates(words["on"]?.octets == "true")
        case "online": return .online(true)
        case "offline": return .online(false)
        case "wipe": return .wipe(isReported: words["unregistered"]?.octets == "true")
        case "token": return .newToken
        case "discard": return .discard
        default: return nil
        }
    }

    private static let names = ["url", "type", "serial", "on", "unregistered"]

    /// The members that are given, flags as words.
    private static func words(of request: SimulatorRequest) throws(ControlError) -> [String: String] {
        if request.isForm { return try words(ofForm: request.body) }
        guard !request.body.isEmpty else { return [:] }
        let body = try ControlBody(request)
        try body.check([
            .init("url", .text(2_048)), .init("type", .text(256)), .init("serial", .text(1_024)), .init("on", .flag),
            .init("unregistered", .flag),
        ])
        var words: [String: String] = [:]
        for name in names {
            let value = body.value[name]
            words[name] = value?.text ?? value?.flag.map { $0 ? "true" : "false" }
        }
        return words
    }

    private static func words(ofForm body: [UInt8]) throws(ControlError) -> [String: String] {
        var words: [String: String] = [:]
        do throws(HTTPParameterError) {
            let form = try HTTPParameters(body.span)
            for name in names { words[name] = try form.value(name) }
        } catch {
            throw ControlError("The form cannot be read.")
        }
        return words
    }
}
