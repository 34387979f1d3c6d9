import Primitives
import SimulatorCore

/// Something that the app on a device does at the developer's server, on behalf of a tester.
enum DeviceOrder: Sendable {
    /// Hands a purchase in.
    case submit(String)
    /// Asks what the account has.
    case balance(DeviceView)

    /// The order of a request; `nil` where it is none.
    init?(_ request: SimulatorRequest) {
        let path = request.path.octets.parts(between: UInt8(ascii: "/"), keepingEmpty: false)
        guard request.method == "POST", path.first?.octets == "_sim" else { return nil }
        if path.count == 4, path[1].octets == "purchases", path[3].octets == "submit" {
            self = .submit(path[2])
        } else if path.count == 3, path[1].octets == "device", path[2].octets == "balance" {
            let form = request.isForm ? try? StoreForm(request).view : nil
            self = .balance(form ?? DeviceView(query: request.query))
        } else {
            return nil
        }
    }
}
