import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON

/// A form of the pages, as the call of the control interface that a program would make.
struct StoreForm: Sendable {
    /// The call.
    let request: SimulatorRequest
    /// Whose device the page goes on with.
    let view: DeviceView

    private static let numbers = ["quantity", "price", "percentage", "reason"]
    private static let flags = ["askToBuy"]

    /// Reads a form.
    ///
    /// - Throws: 400 for one that cannot be read.
    init(_ request: SimulatorRequest) throws(ControlError) {
        var members: [JSONMember] = []
        var view = DeviceView()
        do throws(HTTPParameterError) {
            for (name, value) in try HTTPParameters(request.body.span).all where !value.isEmpty {
                switch name {
                case "viewCustomer": view.customer = value
                case "viewEnvironment": view.environment = StoreEnvironment(word: value.octets) ?? view.environment
                default: members.append(JSONMember(name, Self.value(value, of: name)))
                }
            }
        } catch { throw ControlError("The form cannot be read.") }
        self.view = view
        if ["/_sim/purchases", "/_sim/device/app"].contains(request.path) {
            members += [
                JSONMember("customer", .string(view.customer)),
                JSONMember("environment", .string(view.environment.rawValue)),
            ]
        }
        let fields = request.fields.filter { $0.name.octets != "content-type" }
        self.request = SimulatorRequest(
            "POST",
            request.path,
            fields: fields,
            body: JSONValue.object(members).bytes,
            mayControl: request.mayControl
        )
    }

    private static func value(_ text: String, of name: String) -> JSONValue {
        if numbers.contains(name), let number = Int(text) { return JSONValue(number) }
        return flags.contains(name) ? true : .string(text)
    }
}

/// The device that a page shows.
struct DeviceView: Sendable {
    var customer = "customer-1"
    var environment = StoreEnvironment.sandbox

    init() {}

    /// As a query names it.
    init(query: String) {
        let bytes = Array(query.utf8)
        guard let values = try? HTTPParameters(bytes.span) else { return }
        if let name = try? values.value("customer"), !name.isEmpty { customer = name }
        if let word = try? values.value("environment"), let found = StoreEnvironment(word: word.octets) {
            environment = found
        }
    }

    /// The path of its page.
    var path: String { "/_sim?environment=\(environment.rawValue)&customer=" + PercentEncoding.encode(customer) }
}
