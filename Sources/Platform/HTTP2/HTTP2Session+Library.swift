import CNGHTTP2
import HTTPCore

// The library's callbacks to a session while it receives and sends.

extension HTTP2Session {
    /// A frame's head has come.
    ///
    /// - Returns: False where it was one too many of its kind.
    func frameBegins(_ frame: nghttp2_frame_hd) -> Bool {
        // The library ignores the old priorities altogether, and with them this rule of RFC 9113 section 6.3.
        if frame.type == NGHTTP2_PRIORITY.rawValue, frame.stream_id == 0 { return false }
        guard let kind = floodKind(of: frame), !budget.take(kind) else { return true }
        floodSeen = kind
        return false
    }

    private func floodKind(of frame: nghttp2_frame_hd) -> FloodKind? {
        if let kind = FloodKind(frame) { return kind }
        // The library drops what comes for a stream that is over: it may have been on its way.
        return frame.stream_id > 0 && frame.stream_id <= highestStream && stream(frame.stream_id) == nil ? .reset : nil
    }

    /// A stream begins with a head.
    ///
    /// - Returns: Whether there is room for it.
    func headBegins(_ id: Int32) -> Bool {
        guard streamsInUse < common.limits.streams else {
            _ = unsafe nghttp2_submit_rst_stream(library, none, id, HTTP2ErrorCode.refusedStream.rawValue)
            return false
        }
        // The last one may have been given up in the middle.
        endArrival()
        let stream = common.takeStream()
        stream.id = id
        highestStream = id
        stream.bodyLimit = common.limits.streamWindow
        stream.tableIndex = table.count
        table.append(stream)
        streamsInUse += 1
        let pointer = unsafe Unmanaged.passUnretained(stream).toOpaque()
        _ = unsafe nghttp2_session_set_stream_user_data(library, id, pointer)
        arriving = stream
        headTime = now
        builder.begin(stream.request.takeHead())
        return true
    }

    /// Puts the head that was being filled back into its request.
    private func endArrival() {
        arriving?.request.giveHead(builder.takeHead())
        arriving = nil
    }

    /// A field of the head that is on the way.
    ///
    /// - Returns: False where the peer has sent far more than is allowed.
    func fieldCame(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Bool {
        let isRead: Bool
        if arriving != nil {
            isRead = builder.add(name, value)
        } else {
            // Fields behind the content are no fields of the request; the library has checked them.
            trailerBytes += name.count + value.count + HeadBuilder.fieldOverhead
            trailerListBytes += name.count + value.count + HeadBuilder.listOverhead
            isRead = trailerListBytes <= HTTP2Limits.listBytes
        }
        if !isRead { floodSeen = .continuation }
        return isRead
    }

    /// Fields behind the content of a request begin.
    func trailersBegin() {
        endArrival()
        trailerBytes = 0
        trailerListBytes = 0
    }

    /// A head is complete.
    func headEnds(_ id: Int32, endsRequest: Bool) {
        guard let stream = arriving, stream.id == id else {
            if let stream = self.stream(id) { trailersEnd(stream, endsRequest: endsRequest) }
            return
        }
        builder.finish()
        endArrival()
        stream.contentLength = builder.contentLength
        stream.expectsContinue = builder.expectsContinue
        stream.requestHasEnded = endsRequest
        stream.start = now
        budget.allow(2, of: .priority)
        if builder.isContradictory {
            dropHead(of: stream)
            reset(stream, .protocolError)
        } else if let status = builder.refusal {
            stream.phase = .content
            stream.isRefused = true
            events.append(.refusal(stream, status))
        } else if let size = roomForHead(of: stream) {
            stream.headBytes = size
            heads += size
            stream.hasHead = true
            stream.phase = endsRequest ? .handling : .content
            events.append(endsRequest ? .request(stream) : .head(stream))
        } else {
            // At once: the stream stays until the peer has heard of it.
            dropHead(of: stream)
            stream.isRefused = true
            reset(stream, .refusedStream)
        }
    }

    /// How much the head of a stream takes; `nil` where the connection may not hold it beside the heads that it has.
    ///
    /// A few bytes name four kilobytes again that a connection has sent once, so heads are no smaller on a hundred streams than
    /// on a hundred connections.
    private func roomForHead(of stream: HTTP2Stream) -> Int? {
        let size = stream.request.headSize
        guard heads > 0 else { return size }
        guard heads + size <= common.limits.unansweredHeadBytes else { return nil }
        let limit = common.limits.awaitedHeadBytes
        guard !stream.requestHasEnded, heads + size > limit else { return size }
        var awaited = 0
        var first: HTTP2Stream?
        for other in table where other.phase == .content {
            awaited += other.headBytes
            if first.map({ other.id < $0.id }) ?? true { first = other }
        }
        guard let first else { return size }
        return awaited - first.headBytes + size <= limit ? size : nil
    }

    private func trailersEnd(_ stream: HTTP2Stream, endsRequest: Bool) {
        if trailerBytes > common.limits.trailerBytes, stream.phase == .content, !stream.isRefused {
            if endsRequest { stream.requestHasEnded = true }
            stream.isRefused = true
            release(stream)
            events.append(.refusal(stream, .headerTooLarge))
        } else if endsRequest {
            contentEnds(stream)
        }
    }

    /// Content has come.
    func contentCame(_ id: Int32, _ bytes: Span<UInt8>) {
        guard let stream = stream(id) else { return consume(id, bytes.count) }
        guard !stream.isRefused else { return drop(bytes.count, of: stream) }
        guard bytes.count <= stream.bodyLimit - stream.request.body.count else {
            stream.isRefused = true
            release(stream)
            events.append(.refusal(stream, .payloadTooLarge))
            return drop(bytes.count, of: stream)
        }
        stream.request.body.append(bytes)
        stream.unreleased += bytes.count
        held += bytes.count
        _ = unsafe nghttp2_session_consume_stream(library, id, bytes.count)
        if isFull { makeRoom() }
    }

    /// Reads what a refused client still sends, only to drop it.
    private func drop(_ count: Int, of stream: HTTP2Stream) {
        stream.dropped += count
        consume(stream.id, count)
        if stream.phase == .lingering, stream.isPastPatience { reset(stream, .noError) }
    }

    /// Whether the peer may send no more content.
    private var isFull: Bool { unsafe nghttp2_session_get_local_window_size(library) <= 0 }

    /// Announces all the room that there is; the library by itself waits for half of the window.
    private func announceRoom() {
        let room = unsafe nghttp2_session_get_effective_recv_data_length(library) - Int32(clamping: held)
        if room > 0 { _ = unsafe nghttp2_submit_window_update(library, none, 0, room) }
    }

    /// The peer may send no more content until an answer gives room back; where every request waits for content, none will.
    ///
    /// Then the youngest is refused, unseen by any handler, so that its client may ask again.
    private func makeRoom() {
        announceRoom()
        guard isFull else { return }
        let holders = table.filter { $0.unreleased > 0 }
        guard holders.count > 1, holders.allSatisfy({ $0.phase == .content }),
            let youngest = holders.max(by: { $0.id < $1.id })
        else { return }
        youngest.isRefused = true
        release(youngest)
        reset(youngest, .refusedStream)
    }

    /// The last byte of a request has come.
    func contentEnds(_ id: Int32) {
        if let stream = stream(id) { contentEnds(stream) }
    }

    private func contentEnds(_ stream: HTTP2Stream) {
        guard !stream.requestHasEnded else { return }
        stream.requestHasEnded = true
        if stream.isAnswered { earlyAnswers -= 1 }
        guard stream.phase == .content, !stream.isRefused else { return }
        stream.phase = .handling
        events.append(.request(stream))
    }

    /// A stream has ended.
    func streamClosed(_ id: Int32) {
        guard let stream = stream(id) else { return }
        if arriving === stream { endArrival() }
        release(stream)
        dropAnswer(of: stream)
        let last = table.removeLast()
        if last !== stream {
            table[stream.tableIndex] = last
            last.tableIndex = stream.tableIndex
        }
        let wasAnswered = stream.isAnswered
        if wasAnswered, !stream.requestHasEnded { earlyAnswers -= 1 }
        stream.phase = .closed
        if wasAnswered, stream.hold == .free {
            // Nothing refers to it any more: its events have been taken, its handler has ended.
            recycle(stream)
        } else {
            events.append(.closed(stream))
        }
    }

    /// A frame without a stream's content has come.
    func controlCame(_ frame: UnsafePointer<nghttp2_frame>) {
        switch unsafe UInt32(frame.pointee.hd.type) {
        case NGHTTP2_RST_STREAM.rawValue: resetsReceived += 1
        case NGHTTP2_GOAWAY.rawValue: hasPeerLeft = true
        case NGHTTP2_PING.rawValue where unsafe frame.pointee.hd.isAcknowledgement:
            if unsafe frame.pointee.ping.holds(HTTP2Session.drainPing) { events.append(.goAwaySeen) }
        default: break
        }
    }

    /// A frame has been handed over to be sent.
    func frameSent(_ frame: nghttp2_frame_hd) {
        if frame.type == NGHTTP2_RST_STREAM.rawValue {
            resetsSent += 1
            // What makes this side reset streams is no cheaper than resetting them oneself.
            if !budget.take(.reset) { floodSeen = .reset }
        } else if frame.stream_id != 0, frame.endsStream {
            // Some clients reset what they have read to the end: as many resets as answers are no flood.
            budget.allow(1, of: .reset)
            endEarly(frame.stream_id)
        }
    }

    /// A client that has its answer need not send the rest of its content.
    ///
    /// Some look at the answer only when they have sent everything, and take a reset for a failure: for them a little is read
    /// on.
    private func endEarly(_ id: Int32) {
        guard earlyAnswers > 0, let stream = stream(id), !stream.requestHasEnded else { return }
        stream.phase = .lingering
        stream.start = now
        if stream.isPastPatience { reset(stream, .noError) }
    }

    /// How much content of a stream goes into the next frame.
    func contentLeft(_ stream: HTTP2Stream) -> Int { stream.body.count - stream.sent }

    /// Appends a frame with content.
    ///
    /// - Returns: Whether there is room for more.
    func appendContent(_ head: Span<UInt8>, _ stream: HTTP2Stream, _ count: Int) -> Bool {
        outgoing.append(head)
        outgoing.append(stream.body.span.extracting(stream.sent..<stream.sent + count))
        stream.sent += count
        unsent -= count
        progressTime = now
        if stream.sent == stream.body.count { dropAnswer(of: stream) }
        budget.allow(10, of: .windowUpdate)
        return outgoing.count < outgoingLimit
    }

    private func stream(_ id: Int32) -> HTTP2Stream? {
        guard let pointer = unsafe nghttp2_session_get_stream_user_data(library, id) else { return nil }
        return unsafe Unmanaged<HTTP2Stream>.fromOpaque(pointer).takeUnretainedValue()
    }

    private func consume(_ id: Int32, _ count: Int) {
        _ = unsafe nghttp2_session_consume(library, id, count)
    }

    /// Lets the peer send as much content as this stream has held back.
    func release(_ stream: HTTP2Stream) {
        guard stream.unreleased > 0 else { return }
        _ = unsafe nghttp2_session_consume_connection(library, stream.unreleased)
        held -= stream.unreleased
        stream.unreleased = 0
        if isFull { announceRoom() }
    }
}

extension nghttp2_frame_hd {
    var endsStream: Bool { flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 }
    var isAcknowledgement: Bool { flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0 }
}

extension nghttp2_ping {
    func holds(_ content: [UInt8]) -> Bool {
        unsafe withUnsafeBytes(of: opaque_data) { bytes in unsafe bytes.elementsEqual(content) }
    }
}

extension FloodKind {
    /// The kind of a received frame; `nil` for those that bring work along.
    init?(_ frame: nghttp2_frame_hd) {
        switch UInt32(frame.type) {
        case NGHTTP2_HEADERS.rawValue, NGHTTP2_PUSH_PROMISE.rawValue: return nil
        case NGHTTP2_DATA.rawValue:
            guard frame.length == 0, !frame.endsStream else { return nil }
            self = .emptyData
        case NGHTTP2_PING.rawValue: self = .ping
        case NGHTTP2_SETTINGS.rawValue: self = .settings
        case NGHTTP2_RST_STREAM.rawValue: self = .reset
        case NGHTTP2_WINDOW_UPDATE.rawValue: self = .windowUpdate
        case NGHTTP2_PRIORITY.rawValue, NGHTTP2_PRIORITY_UPDATE.rawValue: self = .priority
        case NGHTTP2_CONTINUATION.rawValue: self = .continuation
        default: self = .unknown
        }
    }
}
