import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON

/// Something that the app on a phone does at the developer's server, on behalf of a tester.
struct PhoneOrder: Sendable {
    /// The last word of the path, here and at the server.
    enum Step: String, Sendable, CaseIterable {
        /// Asks for the gift.
        case claim
        /// Asks whether there would be one.
        case check
        /// The owner is about to sell the phone.
        case release
        /// The owner has a code from support.
        case reset

        /// The member with its word, here and at the server; `nil` where it has none.
        var member: String? {
            switch self {
            case .claim, .check: "purpose"
            case .release: nil
            case .reset: "code"
            }
        }

        /// The word where the tester has none.
        var usualWord: String { self == .reset ? "" : "free-trial" }
    }

    let device: Int
    let step: Step
    /// The purpose or the code; `nil` for the usual one.
    let word: String?

    /// The order of a request; `nil` where it is none.
    ///
    /// - Throws: 400 for a body that cannot be read.
    init?(_ request: SimulatorRequest) throws(ControlError) {
        let path = request.path.octets.parts(between: UInt8(ascii: "/"), keepingEmpty: false)
        guard request.method.octets == "POST", path.count == 4, path[0].octets == "_sim", path[1].octets == "devices",
            let number = Int(path[2]), let step = Step.allCases.first(where: { $0.rawValue.octets == path[3].octets })
        else { return nil }
        (device, self.step) = (number, step)
        let name = step.member
        if request.isForm {
            let form = try PhoneForm(request).request
            word = name.flatMap { form[$0]?.text }
        } else if request.body.isEmpty {
            word = nil
        } else {
            let body = try ControlBody(request)
            try body.check(name.map { [.init($0, .text(40))] } ?? [])
            word = name.flatMap { body.value[$0]?.text }
        }
    }
}

/// A form of the pages, as the body of a control call that a program would make.
struct PhoneForm: Sendable {
    /// Members that are not empty.
    let request: JSONValue

    /// Reads a form.
    ///
    /// - Throws: 400 for one that cannot be read.
    init(_ request: SimulatorRequest) throws(ControlError) {
        var members: [JSONMember] = []
        do throws(HTTPParameterError) {
            for (name, value) in try HTTPParameters(request.body.span).all where !value.isEmpty {
                members.append(JSONMember(name, PhoneForm.member(name, value)))
            }
        } catch { throw ControlError("The form cannot be read.") }
        self.request = .object(members)
    }

    private static func member(_ name: String, _ value: String) -> JSONValue {
        switch name.octets {
        case "supported": .bool(value.octets == "true")
        case "metric": Int(value).map { JSONValue($0) } ?? .string(value)
        default: .string(value)
        }
    }
}
