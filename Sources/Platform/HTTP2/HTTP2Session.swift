import CNGHTTP2
package import HTTPCore

/// One HTTP/2 connection on the server's side as bytes in, bytes out; it does no I/O and has no clock.
///
/// What the peer has sent goes in with ``receive(_:at:)`` and leads to events, to be taken with ``nextEvent()`` before
/// the next call. Responses are put in with ``respond(_:on:date:)`` and leave, together with all the library has to say
/// by itself, with ``send(into:upTo:)``. Floods are counted here: see ``FloodKind``. Not Sendable: one loop owns it.
///
/// The library gets a pointer to this object that keeps nothing alive; it is used during calls of this object only.
/// Streams that the library points to are held by `table` for as long as it knows them.
@safe package final class HTTP2Session {
    let common: HTTP2Common
    var library: OpaquePointer?
    /// The streams that the library knows.
    var table: [HTTP2Stream] = []
    /// Streams that were taken and not given back: those of the table, and closed ones that somebody still works on.
    var streamsInUse = 0
    var events: [HTTP2Event] = []
    private var nextEventIndex = 0
    var budget: FrameRateLimiter
    var builder: HeadBuilder
    /// The stream whose head is on the way.
    var arriving: HTTP2Stream?
    /// The present, by a clock that does not go back; kept by the driver of the session.
    package var now: Int64
    /// How much content of all streams is held back from the peer's window.
    var held = 0
    /// How many bytes the heads of all streams take.
    var heads = 0
    /// Those of them that `countHead` was told of.
    var countedHeads = 0
    /// How many bytes of answers are held, those apart that all streams share.
    var answers = 0
    /// The length of the trailers that are on the way.
    var trailerBytes = 0
    /// What has come of them, as the limit of what is read counts it.
    var trailerListBytes = 0
    /// The number of the last stream that was opened.
    var highestStream: Int32 = 0
    /// Streams that are answered while their content is still on the way.
    var earlyAnswers = 0
    var outgoing: [UInt8] = []
    var outgoingLimit = 0

    // As in `HTTP2Stream`: storage for this target, functions for others.
    var hasPeerLeft = false
    var floodSeen: FloodKind?
    var unsent = 0
    var progressTime: Int64 = 0
    var headTime: Int64 = 0
    var resetsReceived = 0
    var resetsSent = 0

    /// Whether the peer has said that it opens no more streams.
    package var peerHasLeft: Bool { hasPeerLeft }
    /// What the peer has overdone; the session is over then.
    package var flood: FloodKind? { floodSeen }
    /// Content of responses that has not gone out.
    package var unsentBytes: Int { unsent }
    /// When content of a response went out last, or began to wait.
    package var lastProgress: Int64 { progressTime }
    /// When the header block that is on the way began.
    package var headStart: Int64 { headTime }
    /// Streams that were reset by the peer, and by this side.
    package var resets: (received: Int, sent: Int) { (resetsReceived, resetsSent) }

    /// A session that has its settings to send.
    ///
    /// - Parameters:
    ///   - common: Of the same loop.
    ///   - isSecure: Whether the bytes come out of TLS.
    ///   - milliseconds: The present, by any clock that does not go back.
    /// - Throws: When the library has no memory.
    package init(_ common: HTTP2Common, isSecure: Bool, at milliseconds: Int64) throws(HTTP2Error) {
        self.common = common
        now = milliseconds
        budget = FrameRateLimiter(common.limits, at: milliseconds)
        builder = HeadBuilder(common.limits, isSecure: isSecure)
        let user = unsafe Unmanaged.passUnretained(self).toOpaque()
        var library: OpaquePointer?
        try unsafe HTTP2Error.check(nghttp2_session_server_new2(&library, common.callbacks, user, common.options))
        unsafe self.library = library
        try submitSettings()
    }

    deinit { unsafe nghttp2_session_del(library) }

    private func submitSettings() throws(HTTP2Error) {
        let limits = common.limits
        func entry(_ id: nghttp2_settings_id, _ value: Int) -> nghttp2_settings_entry {
            nghttp2_settings_entry(settings_id: Int32(bitPattern: id.rawValue), value: UInt32(clamping: value))
        }
        let entries = [
            entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.streams),
            entry(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits.streamWindow),
            entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, HTTP2Limits.listBytes),
            entry(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1),
        ]
        try unsafe HTTP2Error.check(nghttp2_submit_settings(library, none, entries, entries.count))
        let window = Int32(clamping: limits.connectionWindow)
        try unsafe HTTP2Error.check(nghttp2_session_set_local_window_size(library, none, 0, window))
    }

    let none = UInt8(NGHTTP2_FLAG_NONE.rawValue)

    // MARK: In

    /// Takes what the peer has sent.
    ///
    /// - Parameters:
    ///   - bytes: In the order of arrival; all of them are used up.
    /// - Throws: When the session cannot go on; it has a GOAWAY to send then.
    package func receive(_ bytes: Span<UInt8>, at milliseconds: Int64) throws(HTTP2Error) {
        now = milliseconds
        budget.refill(at: milliseconds)
        let result = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe nghttp2_session_mem_recv(library, bytes.baseAddress, bytes.count)
        }
        if floodSeen == nil, result < 0 {
            terminate(.protocolError)
            throw HTTP2Error(Int32(clamping: result))
        }
    }

    /// The next thing that has come of what was received, or `nil`.
    package func nextEvent() -> HTTP2Event? {
        guard nextEventIndex < events.count else {
            if !events.isEmpty { events.removeAll(keepingCapacity: true) }
            nextEventIndex = 0
            return nil
        }
        nextEventIndex += 1
        return events[nextEventIndex - 1]
    }

    /// How many bytes of content are held for requests that are not answered.
    package var heldContent: Int { held }

    /// How many bytes the heads of requests take that were counted and are not answered.
    package var heldHeads: Int { countedHeads }

    /// How many bytes of answers are held that have not gone out to their end, those apart that are ready once for all.
    package var heldAnswers: Int { answers }

    /// Gives answers up that their client does not take, the youngest first; their streams are reset.
    ///
    /// - Parameter limit: So many bytes may be held, or one answer.
    /// - Returns: How many were given up.
    package func giveUpAnswers(beyond limit: Int) -> Int {
        guard answers > limit else { return 0 }
        var count = 0
        let waiting = table.filter { $0.answerBytes > 0 }.sorted { $0.id > $1.id }
        for stream in waiting.dropLast() where answers > limit {
            dropAnswer(of: stream)
            reset(stream, .enhanceYourCalm)
            count += 1
        }
        return count
    }

    /// Frees an answer, as far as it has not gone out.
    func dropAnswer(of stream: HTTP2Stream) {
        unsent -= stream.body.count - stream.sent
        answers -= stream.answerBytes
        stream.answerBytes = 0
        stream.body = []
        stream.sent = 0
    }

    /// Counts the head of a request in `heldHeads`, until it is answered.
    ///
    /// Whoever takes the events does so, one by one: several may have come at once, and the last of them may be one too many.
    package func countHead(of stream: HTTP2Stream) {
        guard !stream.isHeadCounted else { return }
        stream.isHeadCounted = true
        countedHeads += stream.headBytes
    }

    /// Refuses a request that no handler has seen; its client may ask again.
    package func turnAway(_ stream: HTTP2Stream) {
        refuse(stream)
        dropHead(of: stream)
        reset(stream, .refusedStream)
    }

    /// Whether a head has begun and is not complete.
    package var isInsideHead: Bool { arriving != nil }

    /// How many streams are open.
    package var openStreams: Int { table.count }

    /// Whether nothing further will come or go: the connection can be closed.
    package var isOver: Bool {
        unsafe nghttp2_session_want_read(library) == 0 && nghttp2_session_want_write(library) == 0
    }

    /// Looks at each open stream.
    ///
    /// - Parameter body: May refuse streams and respond on them; streams that end meanwhile are not reported to it.
    package func forEachStream(_ body: (HTTP2Stream) -> Void) {
        for stream in table { body(stream) }
    }

    // MARK: Streams

    /// Sets how much content a request may have.
    ///
    /// - Parameters:
    ///   - limit: In bytes.
    /// - Returns: False where the head announces more, or more has come: answer with 413.
    package func allowContent(_ stream: HTTP2Stream, _ limit: Int) -> Bool {
        stream.bodyLimit = limit
        guard (stream.contentLength ?? 0) <= limit, stream.request.body.count <= limit else {
            refuse(stream)
            return false
        }
        if stream.expectsContinue, stream.request.body.isEmpty, !stream.requestHasEnded { sendContinue(stream) }
        return true
    }

    private func sendContinue(_ stream: HTTP2Stream) {
        stream.expectsContinue = false
        unsafe common.fields.withContinue { pairs, count in
            _ = unsafe nghttp2_submit_headers(library, none, stream.id, nil, pairs, count, nil)
        }
    }

    /// Drops what still comes of a request; its answer follows.
    ///
    /// - Parameter stream: An open one.
    package func refuse(_ stream: HTTP2Stream) {
        stream.isRefused = true
        release(stream)
    }

    /// Ends a stream at once.
    ///
    /// - Parameters:
    ///   - stream: A closed one is left alone.
    package func reset(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode) {
        guard !stream.isClosed else { return }
        _ = unsafe nghttp2_submit_rst_stream(library, none, stream.id, code.rawValue)
    }

    /// Takes a closed stream back when nobody works on it any more.
    ///
    /// - Parameter stream: Was reported as closed; not to be used afterwards.
    package func recycle(_ stream: HTTP2Stream) {
        streamsInUse -= 1
        dropHead(of: stream)
        common.giveStream(stream)
    }

    /// Frees what the head of a request takes.
    func dropHead(of stream: HTTP2Stream) {
        heads -= stream.headBytes
        if stream.isHeadCounted { countedHeads -= stream.headBytes }
        stream.isHeadCounted = false
        stream.headBytes = 0
        stream.request.dropLargeHead()
    }

    // MARK: Out

    /// Puts a response in.
    ///
    /// - Parameters:
    ///   - stream: Whose request is complete or refused; a closed one is left alone.
    package func respond(_ response: HTTPResponse, on stream: HTTP2Stream, date: Span<UInt8>) {
        guard prepare(stream, response.status, response.body) else { return }
        stream.answerBytes = stream.body.count
        answers += stream.answerBytes
        let result = unsafe common.fields.withPairs(response, date: date) { pairs, count in
            unsafe submit(stream, pairs, count)
        }
        if result < 0 { reset(stream, .internalError) }
    }

    /// Puts a response in whose wire form is ready.
    ///
    /// - Parameters:
    ///   - stream: Whose request is complete or refused; a closed one is left alone.
    package func respond(_ response: StaticResponse, on stream: HTTP2Stream, date: Span<UInt8>) {
        guard prepare(stream, response.response.status, response.response.body) else { return }
        let result = unsafe common.fields.withPairs(response, date: date) { pairs, count in
            unsafe submit(stream, pairs, count)
        }
        if result < 0 { reset(stream, .internalError) }
    }

    private func prepare(_ stream: HTTP2Stream, _ status: HTTPStatus, _ body: HTTPBody) -> Bool {
        guard !stream.isClosed, !stream.isAnswered else { return false }
        stream.phase = .responding
        stream.start = now
        release(stream)
        // A client that does not read keeps its stream for minutes.
        defer { if stream.hold == .free { dropHead(of: stream) } }
        if !stream.requestHasEnded { earlyAnswers += 1 }
        guard case .bytes(let bytes) = body, status.allowsContent, stream.request.method != .head else { return true }
        stream.body = bytes
        if unsent == 0 { progressTime = now }
        unsent += bytes.count
        return true
    }

    private func submit(_ stream: HTTP2Stream, _ pairs: UnsafePointer<nghttp2_nv>?, _ count: Int) -> Int32 {
        guard !stream.body.isEmpty else { return unsafe nghttp2_submit_response(library, stream.id, pairs, count, nil) }
        let pointer = unsafe Unmanaged.passUnretained(stream).toOpaque()
        var provider = unsafe nghttp2_data_provider(
            source: nghttp2_data_source(ptr: pointer),
            read_callback: SessionCallbacks.readContent
        )
        return unsafe nghttp2_submit_response(library, stream.id, pairs, count, &provider)
    }

    /// Whether there is something to send.
    package var wantsToSend: Bool { unsafe nghttp2_session_want_write(library) != 0 }

    /// Moves what is to be sent to the end of a buffer, as far as the peer's windows allow.
    ///
    /// - Parameters:
    ///   - limit: Once it is as long as this nothing is added.
    package func send(into output: inout [UInt8], upTo limit: Int) -> Sent {
        swap(&outgoing, &output)
        outgoingLimit = limit
        defer { swap(&outgoing, &output) }
        while outgoing.count < limit {
            var frame: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(library, &frame)
            guard count >= 0 else { return .failed }
            guard count > 0, let frame = unsafe frame else { return outgoing.count < limit ? .everything : .some }
            unsafe outgoing.append(contentsOf: UnsafeBufferPointer(start: frame, count: count))
        }
        return .some
    }

    /// How far a session went in sending.
    package enum Sent: Sendable, Hashable {
        /// Nothing is left that may go out at present.
        case everything
        /// The limit was reached.
        case some
        /// The session cannot go on.
        case failed
    }

    // MARK: The end

    /// Says that the end is near: the peer may still open streams, and its answer shows that it knows.
    package func announceEnd() {
        _ = unsafe nghttp2_submit_shutdown_notice(library)
        _ = unsafe nghttp2_submit_ping(library, none, HTTP2Session.drainPing)
    }

    /// The content of the PING behind the announcement.
    static let drainPing: [UInt8] = Array("draining".utf8)

    /// Takes no more streams; those that have come are answered.
    package func acceptNoMore() {
        let last = unsafe nghttp2_session_get_last_proc_stream_id(library)
        _ = unsafe nghttp2_submit_goaway(library, none, last, HTTP2ErrorCode.noError.rawValue, nil, 0)
    }

    /// Ends the session: one more frame says why.
    package func terminate(_ code: HTTP2ErrorCode) {
        _ = unsafe nghttp2_session_terminate_session(library, code.rawValue)
    }
}
