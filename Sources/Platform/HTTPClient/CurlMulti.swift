import CCurl
import EventIO

/// The library's set of transfers, driven by a loop: sockets are registrations, its timeout is a timer.
@safe final class CurlMulti {
    private let raw: UnsafeMutableRawPointer
    private let reactor: Reactor
    private var sockets: [Int32: CurlSocket] = [:]
    private var timer: TimerID?
    /// Called for each transfer that has ended, outside of the library's calls.
    var onEnd: (UInt, CURLcode) -> Void = { _, _ in }

    /// An empty set.
    ///
    /// - Parameters:
    ///   - idleConnections: How many connections are kept after use.
    init?(_ reactor: Reactor, idleConnections: Int) {
        guard CurlMulti.isLibraryReady, let raw = unsafe curl_multi_init() else { return nil }
        unsafe self.raw = raw
        self.reactor = reactor
        timer = reactor.makeTimer { [weak self] in self?.act(CURL_SOCKET_TIMEOUT, 0) }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe shim_multi_set_socket(raw, watchSocket)
        unsafe shim_multi_set_pointer(raw, CURLMOPT_SOCKETDATA, context)
        unsafe shim_multi_set_timer(raw, setTimer)
        unsafe shim_multi_set_pointer(raw, CURLMOPT_TIMERDATA, context)
        unsafe shim_multi_set_long(raw, CURLMOPT_MAXCONNECTS, idleConnections)
    }

    deinit {
        // The library must not call back into an object that is going.
        unsafe shim_multi_set_socket(raw, nil)
        unsafe shim_multi_set_timer(raw, nil)
        for socket in sockets.values { socket.remove() }
        if let timer { reactor.cancel(timer) }
        unsafe curl_multi_cleanup(raw)
    }

    /// Starts a transfer.
    ///
    /// - Returns: False when the library refuses.
    func add(_ handle: EasyHandle) -> Bool {
        unsafe curl_multi_add_handle(raw, handle.raw) == CURLM_OK
    }

    /// Ends a transfer, or lets go of one that has ended.
    ///
    /// Not from within one of the library's calls.
    func remove(_ handle: EasyHandle) {
        unsafe curl_multi_remove_handle(raw, handle.raw)
    }

    /// Passes an event to the library and collects the transfers that it ended.
    fileprivate func act(_ socket: curl_socket_t, _ events: Int32) {
        var running: Int32 = 0
        unsafe curl_multi_socket_action(raw, socket, events, &running)
        var result = CURLE_OK
        while let handle = unsafe shim_multi_next_done(raw, &result) {
            onEnd(UInt(bitPattern: handle), result)
        }
    }

    fileprivate func watch(_ descriptor: curl_socket_t, _ what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            sockets.removeValue(forKey: descriptor)?.remove()
            return
        }
        var interest: Interest = []
        if what & CURL_POLL_IN != 0 { interest.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.writable) }
        if let socket = sockets[descriptor] {
            socket.change(interest)
        } else {
            sockets[descriptor] = CurlSocket(self, reactor, descriptor, interest)
        }
    }

    fileprivate func setTimeout(_ milliseconds: Int) {
        guard let timer else { return }
        if milliseconds < 0 {
            reactor.disarm(timer)
        } else {
            reactor.arm(timer, after: .milliseconds(milliseconds))
        }
    }

    /// Whether the library could set itself up; once for the process.
    private static let isLibraryReady = shim_global_init() == CURLE_OK
}

/// One socket of the library on the loop.
private final class CurlSocket: ReadinessHandler {
    private weak var multi: CurlMulti?
    private let reactor: Reactor
    private let descriptor: Int32
    private var registration: Registration?

    init(_ multi: CurlMulti, _ reactor: Reactor, _ descriptor: Int32, _ interest: Interest) {
        self.multi = multi
        self.reactor = reactor
        self.descriptor = descriptor
        // A socket that cannot be registered is reported to the library as failed, in the next turn.
        do throws(IOError) {
            registration = try reactor.add(descriptor, interest: interest, trigger: .level, handler: self)
        } catch {
            reportFailure()
        }
    }

    func change(_ interest: Interest) {
        guard let registration else { return }
        do throws(IOError) {
            try reactor.modify(registration, interest: interest)
        } catch {
            reportFailure()
        }
    }

    func remove() {
        if let registration { reactor.remove(registration) }
        registration = nil
    }

    func ready(_ readiness: Readiness) {
        var events: Int32 = 0
        if !readiness.isDisjoint(with: [.readable, .hangUp]) { events |= CURL_CSELECT_IN }
        if readiness.contains(.writable) { events |= CURL_CSELECT_OUT }
        if readiness.contains(.error) { events |= CURL_CSELECT_ERR }
        multi?.act(descriptor, events)
    }

    private func reportFailure() {
        _ = reactor.schedule(after: .zero) { [weak multi, descriptor] in multi?.act(descriptor, CURL_CSELECT_ERR) }
    }
}

// MARK: What the library calls
//
// The context is the set itself, which takes the callbacks back before it goes.

private func watchSocket(
    _ handle: UnsafeMutableRawPointer?,
    _ descriptor: curl_socket_t,
    _ what: Int32,
    _ context: UnsafeMutableRawPointer?,
    _ socket: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context = unsafe context else { return 0 }
    unsafe Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue().watch(descriptor, what)
    return 0
}

private func setTimer(
    _ multi: UnsafeMutableRawPointer?,
    _ milliseconds: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context = unsafe context else { return 0 }
    unsafe Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue().setTimeout(milliseconds)
    return 0
}
