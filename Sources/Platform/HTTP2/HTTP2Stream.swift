package import HTTPCore

/// What is being done for a stream.
package protocol HTTP2Work: AnyObject {
    /// Nobody waits for it any more.
    func cancel()
}

/// One request and the answer to it; used again for another one when both have ended.
///
/// Lives on one loop. Between `closed` and `HTTP2Session.recycle` it belongs to the handler that still works on its request.
package final class HTTP2Stream {
    /// What is being asked; complete when the session says so.
    package let request = HTTPRequest()
    // What another target can reach in place is checked for exclusiveness at each use, dozens of times for each request:
    // therefore the storage stays here, and others go through functions.
    private var currentWork: (any HTTP2Work)?
    private var currentHold = Hold.free
    private var currentStart: Int64 = 0
    private var handOver: UInt64 = 0
    private var currentPhase = Phase.head
    private var number: Int32 = 0

    /// Its number on the wire.
    package internal(set) var id: Int32 {
        get { number }
        set { number = newValue }
    }

    /// The handler in flight, if it takes its time; belongs to the driver.
    package var work: (any HTTP2Work)? {
        get { currentWork }
        set { currentWork = newValue }
    }

    /// Whether the driver still works on its request.
    package var hold: Hold {
        get { currentHold }
        set { currentHold = newValue }
    }

    /// When its head was complete, its handler began, or its response was put in, in the session's time.
    package var start: Int64 {
        get { currentStart }
        set { currentStart = newValue }
    }

    /// When its request was handed over, in the driver's time.
    package var handedOver: UInt64 {
        get { handOver }
        set { handOver = newValue }
    }

    /// What it waits for.
    package internal(set) var phase: Phase {
        get { currentPhase }
        set { currentPhase = newValue }
    }

    /// What the driver has to do with a stream.
    package enum Hold: Sendable, Hashable {
        /// Nothing: the session may give it to another request when it has ended.
        case free
        /// Its request waits or is being answered.
        case held
        /// The same, and the stream has ended meanwhile.
        case orphaned
    }

    /// The way of a stream.
    package enum Phase: Sendable, Hashable {
        /// Its head is on the way.
        case head
        /// Its content is on the way.
        case content
        /// Its request is complete, its response is not known.
        case handling
        /// Its response is on the way.
        case responding
        /// Its response has gone out before the request was complete: the rest is read to be dropped.
        case lingering
        /// It has ended.
        case closed
    }

    /// Where the session's table holds it.
    var tableIndex = 0
    /// What the head announces.
    var contentLength: Int?
    /// What the head takes, as long as it is held.
    var headBytes = 0
    /// Whether `HTTP2Session.heldHeads` has it.
    var isHeadCounted = false
    /// Whether the head was taken: what the request is for is known.
    var hasHead = false
    /// The most content to accept.
    var bodyLimit = 0
    /// Content that counts against the connection's window.
    var unreleased = 0
    /// Whether the request has been refused: what still comes is dropped.
    var isRefused = false
    /// Bytes of content that have been dropped.
    var dropped = 0
    /// Whether the request's last byte has come.
    var requestHasEnded = false
    /// Whether the client waits for a word before it sends its content.
    var expectsContinue = false
    /// What is sent as content.
    var body: [UInt8] = []
    /// How much of it has gone out.
    var sent = 0
    /// Bytes of it that are held for this stream alone.
    var answerBytes = 0

    init() {}

    /// Whether it is known what its request is for.
    package var isKnown: Bool { hasHead }

    /// Whether it has ended; then nothing is sent on it any more.
    package var isClosed: Bool { phase == .closed }

    /// Whether its response is on the way or has gone out.
    var isAnswered: Bool { phase == .responding || phase == .lingering }

    /// Whether it sends more than is read only to be dropped, or waits for a word that does not come.
    var isPastPatience: Bool {
        expectsContinue || max(dropped, contentLength ?? 0) > HTTP2Stream.mostDropped
    }

    /// What a refused client may still send before it is asked to stop; as much as over HTTP/1.1.
    private static let mostDropped = 4_194_304

    /// Makes it fit for another request.
    func reset() {
        request.reset()
        work = nil
        hold = .free
        id = 0
        phase = .head
        contentLength = nil
        headBytes = 0
        isHeadCounted = false
        hasHead = false
        unreleased = 0
        isRefused = false
        dropped = 0
        requestHasEnded = false
        expectsContinue = false
        body = []
        sent = 0
        answerBytes = 0
    }
}
