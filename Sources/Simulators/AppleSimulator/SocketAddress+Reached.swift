import EventIO

extension SocketAddress {
    /// Where this machine finds what listens at the address; one that means all of them is none to ask.
    var reached: String {
        if self == SocketAddress("0.0.0.0:\(port)") { return "127.0.0.1:\(port)" }
        return self == SocketAddress("[::]:\(port)") ? "[::1]:\(port)" : description
    }
}
