/// What a peer may ask of a server; every value is reached by a test.
package struct ServerLimits: Sendable {
    /// Bytes of a request's head, all lines together; beyond it 431.
    package var headerBytes = 16_384
    /// Fields of a request; beyond it 431.
    package var headerCount = 64
    /// Bytes of a request's content unless its route says otherwise; beyond it 413.
    package var bodyBytes = 16_384
    /// Requests on one connection; the last one is answered with `Connection: close`.
    package var requestsPerConnection = 100_000
    /// Pipelined requests answered for one connection before the others have their turn.
    package var requestsPerTurn = 32
    /// Handlers of one loop that take their time; beyond it 503.
    ///
    /// An address and its network have shares of them: as many statements wait for the loop's database as handlers do.
    package var handlers = 4096
    /// Bytes read from one connection, and from one address, before the others have their turn; see `TurnShares`.
    package var readBytesPerTurn = 65_536
    /// Bytes of responses that may wait for a slow reader before its next request is looked at.
    package var pendingOutputBytes = 65_536

    /// HTTP/2: bytes of responses that one connection may hold for a client that does not read, beside one; beyond it the youngest
    /// are given up.
    ///
    /// A proxy's connection is many clients', and only the process's budget bounds it.
    package var unreadBytes = 524_288

    /// Connections of the whole server, all loops together; beyond it new ones are closed at once.
    package var connections = 20_000
    /// Connections from one IPv4 address or IPv6 /64, trusted proxies apart; beyond it new ones are closed at once.
    ///
    /// Where it is less than half of all, there are shares too: see `hasShares`.
    package var connectionsPerAddress = 1000
    /// New connections taken by one loop before its other work has a turn.
    package var acceptsPerTurn = 64
    /// TLS handshakes begun by one loop in a turn: each holds it for about 0.2 ms.
    package var handshakesPerTurn = 8

    /// From the connection to the end of its TLS handshake.
    package var handshakeDeadline: Duration = .seconds(10)
    /// From the first byte of a request to the end of its head; then 408.
    ///
    /// For the first request of a connection it begins with the connection or the end of its handshake.
    package var headerDeadline: Duration = .seconds(10)
    /// From the end of a request's head to the end of its content; then 408.
    package var bodyDeadline: Duration = .seconds(20)
    /// From the hand-over of a complete request to its response, unless its route allows less; then 503, and the connection ends.
    ///
    /// Longer than any call that moves money.
    package var handlerDeadline: Duration = .seconds(55)
    /// From a response to the next request; then the connection is closed without a word.
    package var idleDeadline: Duration = .seconds(75)
    /// Without any byte taken by a reader that has bytes to take; then the connection is reset.
    package var writeDeadline: Duration = .seconds(30)
    /// From the begin of a response over HTTP/2 until its reader's window has let all of it pass; then it is reset.
    package var responseDeadline: Duration = .seconds(120)
    /// For reading what a refused client still sends, so that it sees the refusal; then the connection is reset.
    package var lingerDeadline: Duration = .seconds(2)

    /// For the first request of a connection that has not sent any when a drain begins; then it is closed.
    package var drainPatience: Duration = .seconds(1)

    /// HTTP/2: streams that are open at the same time on one connection; beyond it they are refused.
    package var streamsPerConnection = 100
    /// HTTP/2: bytes of one request's content that may be on their way.
    package var streamWindow = 65_536
    /// HTTP/2: bytes of content of all requests of one connection that are not answered yet.
    package var connectionWindow = 262_144
    /// HTTP/2: frames of one kind that bring no work along which may come at once; beyond it the connection ends.
    package var controlFrameBurst = 100
    /// HTTP/2: how many of them come to be allowed again in a second.
    package var controlFramesPerSecond = 10

    /// The defaults, as each value states them.
    package init() {}

    /// Whether an address and its network get no more than their share of what all clients have in common.
    ///
    /// Where one address may have half of the connections, it stands for many clients.
    package var hasShares: Bool { connectionsPerAddress < connections / 2 }
}
