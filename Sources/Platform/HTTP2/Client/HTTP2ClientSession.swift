import CNGHTTP2
import HTTPCore

/// One HTTP/2 connection on the client's side as bytes in, bytes out; it does no I/O and has no clock.
///
/// What the server has sent goes in with ``receive(_:at:)``. Requests are put in with ``submit(_:)`` and leave, with all the library has
/// to say by itself, with ``send(into:upTo:)``. Either may lead to events, to be taken with ``nextEvent()`` before the next call: a
/// request whose answer is malformed is over with the reset that leaves. The server bounds the streams by its SETTINGS; before these
/// have come there is one. Floods are counted as on the server's side. Not Sendable: one loop owns it.
@safe package final class HTTP2ClientSession {
    private let limits: HTTP2ClientLimits
    private var library: OpaquePointer?
    private var streams: [Int32: ClientStream] = [:]
    private var events: [HTTP2ClientEvent] = []
    private var nextEventIndex = 0
    private var budget: FrameRateLimiter
    private var highestStream: Int32 = 0
    private var hasSettings = false
    private var floodSeen: FloodKind?
    private var goAway: HTTP2GoAway?
    private var outgoing: [UInt8] = []

    /// What the server has overdone; the session is over then.
    package var flood: FloodKind? { floodSeen }
    /// How many requests are under way.
    package var openStreams: Int { streams.count }

    /// A session that has its settings to send.
    ///
    /// - Parameter milliseconds: The present, by any clock that does not go back.
    /// - Throws: When the library has no memory.
    package init(_ limits: HTTP2ClientLimits = HTTP2ClientLimits(), at milliseconds: Int64) throws(HTTP2Error) {
        self.limits = limits
        budget = FrameRateLimiter(HTTP2Limits(), at: milliseconds)
        let user = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe library = try ClientCallbacks.makeSession(user)
        let entries = [
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                value: UInt32(clamping: limits.headBytes)
            ),
        ]
        try unsafe HTTP2Error.check(nghttp2_submit_settings(library, ClientCallbacks.none, entries, entries.count))
    }

    deinit { unsafe nghttp2_session_del(library) }

    // MARK: Requests

    /// How many requests may begin now.
    package var room: Int {
        guard goAway == nil, floodSeen == nil, unsafe nghttp2_session_check_request_allowed(library) == 1 else {
            return 0
        }
        guard hasSettings else { return max(0, 1 - streams.count) }
        let allowed = unsafe nghttp2_session_get_remote_settings(library, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        return max(0, min(limits.streams, Int(allowed)) - streams.count)
    }

    /// Puts a request in.
    ///
    /// - Returns: Its stream, which one event ends; `nil` where there is no room, or where the request cannot be sent as it is.
    package func submit(_ request: HTTP2Request) -> Int32? {
        guard room > 0, request.isSound else { return nil }
        let stream = ClientStream(content: request.body)
        let id = unsafe ClientCallbacks.withPairs(request.head) { pairs, count in
            guard !request.body.isEmpty else {
                return unsafe nghttp2_submit_request(library, nil, pairs, count, nil, nil)
            }
            var provider = unsafe nghttp2_data_provider(
                source: nghttp2_data_source(fd: 0),
                read_callback: ClientCallbacks.readContent
            )
            return unsafe nghttp2_submit_request(library, nil, pairs, count, &provider, nil)
        }
        guard id > 0 else { return nil }
        streams[id] = stream
        highestStream = id
        // A window for its content, and one for the connection.
        budget.allow(2, of: .windowUpdate)
        budget.allow(1, of: .reset)
        return id
    }

    /// Gives a request up; no event comes for it any more.
    package func cancel(_ stream: Int32) {
        guard streams.removeValue(forKey: stream) != nil else { return }
        reset(stream)
    }

    private func reset(_ stream: Int32) {
        _ = unsafe nghttp2_submit_rst_stream(
            library,
            ClientCallbacks.none,
            stream,
            HTTP2ErrorCode.cancel.rawValue
        )
        // What is on its way for the stream is no offence.
        budget.allow(4, of: .reset)
    }

    /// Asks the server for a sign of life, which is an event.
    package func ping() {
        _ = unsafe nghttp2_submit_ping(library, ClientCallbacks.none, nil)
    }

    // MARK: In

    /// Takes what the server has sent.
    ///
    /// - Parameter bytes: In the order of arrival; all of them are used up.
    /// - Throws: When the session cannot go on; it has a GOAWAY to send then.
    package func receive(_ bytes: Span<UInt8>, at milliseconds: Int64) throws(HTTP2Error) {
        budget.refill(at: milliseconds)
        let result = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe nghttp2_session_mem_recv(library, bytes.baseAddress, bytes.count)
        }
        if let floodSeen {
            terminate(.enhanceYourCalm)
            throw HTTP2Error(code: NGHTTP2_ERR_CALLBACK_FAILURE.rawValue, description: "too many frames: \(floodSeen)")
        }
        guard result < 0 else { return }
        terminate(.protocolError)
        throw HTTP2Error(Int32(clamping: result))
    }

    /// The next thing that has come of what was received, or `nil`.
    package func nextEvent() -> HTTP2ClientEvent? {
        guard nextEventIndex < events.count else {
            if !events.isEmpty { events.removeAll(keepingCapacity: true) }
            nextEventIndex = 0
            return nil
        }
        nextEventIndex += 1
        return events[nextEventIndex - 1]
    }

    // MARK: Out

    /// Whether there is something to send.
    package var wantsToSend: Bool { unsafe nghttp2_session_want_write(library) != 0 }

    /// Whether nothing further will come or go: the connection can be closed.
    package var isOver: Bool { unsafe nghttp2_session_want_read(library) == 0 && !wantsToSend }

    /// Moves what is to be sent to the end of a buffer, as far as the server's windows allow.
    ///
    /// - Parameter limit: Once it is as long as this nothing is added.
    /// - Returns: False where the session cannot go on.
    package func send(into output: inout [UInt8], upTo limit: Int) -> Bool {
        while output.count < limit {
            var frame: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(library, &frame)
            guard count >= 0 else { return false }
            guard count > 0, let frame = unsafe frame else { return true }
            unsafe output.append(contentsOf: UnsafeBufferPointer(start: frame, count: count))
        }
        return true
    }

    /// Ends the session: one more frame says why.
    package func terminate(_ code: HTTP2ErrorCode) {
        _ = unsafe nghttp2_session_terminate_session(library, code.rawValue)
    }
}

// MARK: - The library's callbacks

extension HTTP2ClientSession {
    /// A frame's head has come.
    ///
    /// - Returns: False where it was one too many of its kind.
    func frameBegins(_ frame: nghttp2_frame_hd) -> Bool {
        // Each frame for a stream that is over, or was never begun, costs this side work for nothing.
        let isForNobody = frame.stream_id > 0 && streams[frame.stream_id] == nil
        guard let kind = FloodKind(frame) ?? (isForNobody ? .reset : nil), !budget.take(kind) else { return true }
        floodSeen = kind
        return false
    }

    /// Whether the fields of a head are wanted.
    func knows(_ stream: Int32) -> Bool { streams[stream] != nil }

    /// A field of an answer has come, in a head or behind its content.
    func fieldCame(_ id: Int32, _ name: Span<UInt8>, _ value: Span<UInt8>) {
        guard let stream = streams[id] else { return }
        stream.headBytes += name.count + value.count + HeadBuilder.listOverhead
        guard stream.headBytes <= limits.headBytes else { return giveUp(id, .protocolViolation, "too many fields") }
        if !stream.take(name, value) { giveUp(id, .protocolViolation, "a status that is none") }
    }

    /// Content of an answer has come.
    func contentCame(_ id: Int32, _ bytes: Span<UInt8>) {
        guard let stream = streams[id] else { return }
        guard bytes.count <= limits.bodyBytes - stream.answer.body.count else {
            return giveUp(id, .bodyTooLarge, "more than \(limits.bodyBytes) bytes")
        }
        stream.answer.body.append(bytes)
    }

    /// A head, or a part of it, is complete.
    func headEnded(_ id: Int32, endsAnswer: Bool) {
        guard let stream = streams[id] else { return }
        stream.isComplete = endsAnswer
        // An interim answer: the true one follows.
        if stream.answer.status < 200, !endsAnswer { stream.answer = InboundResponse(status: 0) }
    }

    /// The last byte of an answer has come.
    func contentEnded(_ id: Int32) { streams[id]?.isComplete = true }

    /// A stream has ended.
    func streamClosed(_ id: Int32, _ code: UInt32) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        guard !stream.isComplete || stream.answer.status < 200 else {
            // Some servers end a stream whose answer is complete with a reset, as they want no more of the request.
            return events.append(.over(stream: id, .success(stream.answer)))
        }
        let failure =
            code == HTTP2ErrorCode.refusedStream.rawValue
            ? HTTPExchangeError(.refused, detail: "the server has not taken the request")
            : HTTPExchangeError(.connectionLost, detail: "stream ended with code \(code)")
        events.append(.over(stream: id, .failure(failure)))
    }

    /// The server has sent its settings, perhaps new ones.
    func settingsCame() { hasSettings = true }

    /// The server has answered a PING.
    func pongCame() { events.append(.pong) }

    /// The server takes no more requests.
    func goAwayCame(_ last: Int32, _ code: UInt32, _ reason: Span<UInt8>) {
        let text = (0..<min(reason.count, 512)).map { index in
            (0x20..<0x7F).contains(reason[index]) ? reason[index] : UInt8(ascii: "?")
        }
        let notice = HTTP2GoAway(lastStream: last, code: code, reason: String(decoding: text, as: UTF8.self))
        goAway = notice
        events.append(.goAway(notice))
    }

    /// Copies the next piece of a request's content.
    ///
    /// - Returns: How much, and whether that was the last; `nil` where the stream is over.
    func takeContent(_ id: Int32, into room: UnsafeMutableBufferPointer<UInt8>) -> (count: Int, isLast: Bool)? {
        guard let stream = streams[id] else { return nil }
        let count = min(room.count, stream.content.count - stream.sent)
        for index in 0..<count { unsafe room[index] = stream.content[stream.sent + index] }
        stream.sent += count
        return (count, stream.sent == stream.content.count)
    }

    private func giveUp(_ id: Int32, _ code: HTTPExchangeError.Code, _ detail: String) {
        guard streams.removeValue(forKey: id) != nil else { return }
        reset(id)
        events.append(.over(stream: id, .failure(HTTPExchangeError(code, detail: detail))))
    }
}

/// One request and what has come of its answer.
final class ClientStream {
    let content: [UInt8]
    var sent = 0
    var answer = InboundResponse(status: 0)
    var headBytes = 0
    var isComplete = false

    init(content: [UInt8]) { self.content = content }

    /// Takes a field in.
    ///
    /// - Returns: False for a status that is none.
    func take(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Bool {
        let (name, value) = (String(copying: name), String(copying: value))
        guard name.utf8.first == UInt8(ascii: ":") else {
            answer.fields.append((name, value))
            return true
        }
        // The library lets no other pseudo-field through, and three digits only.
        guard let status = Int(value), (100...599).contains(status) else { return false }
        answer.status = status
        return true
    }
}

extension String {
    /// Text of bytes from outside; what is not UTF-8 becomes a mark.
    fileprivate init(copying bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
