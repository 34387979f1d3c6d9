import CPostgres

/// One connection of libpq; closed when the value ends.
///
/// Everything here returns at once (`establish` may wait for a name to be resolved), the caller waits on `descriptor`.
@safe struct ConnectionHandle: ~Copyable {
    /// What libpq wants next while it connects.
    enum Progress {
        case needsReading
        case needsWriting
        case established
        case failed(String)
    }

    /// Whether everything that was queued is with the kernel.
    enum Flush {
        case done
        case blocked
        case failed
    }

    /// One answer in the order of the requests.
    enum Reply {
        case result(ResultSet)
        case refused(PostgresError)
        /// Not run, because of a refusal before it.
        case skipped
        case synced
        /// Nothing that may be believed: the connection is broken.
        case broken(String)
    }

    private let connection: OpaquePointer
    /// The step after libpq has connected.
    private enum Step {
        case connecting
        /// The answer to the commands of the pins is awaited.
        case pinning
        /// The answer to their question is awaited.
        case asking
    }

    private let pins: SessionPins
    private var step = Step.connecting
    /// Of the answer that is awaited; empty before.
    private var cells: [String] = []
    private var pointers: [UnsafePointer<CChar>?] = unsafe []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    /// Begins to connect; `nil` when there is no memory.
    ///
    /// libpq resolves a host name here and in `establish`, and blocks while it does: name hosts by socket folder or by
    /// `hostaddr` where that matters.
    ///
    /// - Parameters:
    ///   - pins: Without them the connection is none of ours.
    init?(starting settings: [(keyword: String, value: String)], _ pins: SessionPins) {
        let connection = unsafe CStrings.with(settings.map(\.keyword)) { keywords in
            unsafe CStrings.with(settings.map(\.value)) { values in
                unsafe PQconnectStartParams(keywords, values, 0)
            }
        }
        guard let connection = unsafe connection else { return nil }
        unsafe self.connection = connection
        self.pins = pins
        unsafe shim_ignore_notices(connection)
    }

    deinit {
        unsafe PQfinish(connection)
    }

    /// The socket, which changes from one attempt to the next while connecting; -1 when there is none.
    var descriptor: Int32 { unsafe PQsocket(connection) }

    /// Whether libpq has given this connection up.
    var isBroken: Bool { unsafe PQstatus(connection) == CONNECTION_BAD }

    /// The last complaint of libpq, on one line.
    var message: String {
        guard let text = unsafe PQerrorMessage(connection) else { return "no message" }
        return Diagnosis.oneLine(unsafe String(cString: text))
    }

    /// Whether bytes may wait inside libpq's TLS although the socket has none.
    var isEncrypted: Bool { unsafe PQsslInUse(connection) == 1 }

    /// The process at the other end.
    var backendProcess: Int32 { unsafe PQbackendPID(connection) }

    /// Goes one step further in connecting.
    mutating func establish() -> Progress {
        if step != .connecting { return hear() }
        switch unsafe PQconnectPoll(connection) {
        case PGRES_POLLING_READING:
            return .needsReading
        case PGRES_POLLING_WRITING:
            return .needsWriting
        case PGRES_POLLING_OK:
            return ask(pins.commands, .pinning)
        default:
            return .failed(message)
        }
    }

    private mutating func ask(_ sql: String, _ step: Step) -> Progress {
        // The first bytes of a connection: the kernel takes them at once.
        guard unsafe PQsendQuery(connection, sql) == 1 else { return .failed(message) }
        self.step = step
        cells = []
        return .needsReading
    }

    /// Takes the answer to the pins, then that to their question.
    private mutating func hear() -> Progress {
        guard unsafe PQconsumeInput(connection) == 1 else { return .failed(message) }
        while unsafe PQisBusy(connection) == 0 {
            guard let result = unsafe PQgetResult(connection) else { return goOn() }
            defer { unsafe PQclear(result) }
            guard unsafe PQresultStatus(result) == PGRES_TUPLES_OK else {
                return .failed(unsafe Diagnosis.text(of: result))
            }
            cells = unsafe PostgresAdmin.cells(of: result).first?.map { $0 ?? "" } ?? []
        }
        return .needsReading
    }

    private mutating func goOn() -> Progress {
        if step == .pinning {
            if let objection = pins.objection(toFirst: cells) { return .failed(objection) }
            return ask(SessionPins.question, .asking)
        }
        if let objection = pins.objection(toSecond: cells) { return .failed(objection) }
        let isReady = unsafe PQsetnonblocking(connection, 1) == 0 && PQenterPipelineMode(connection) == 1
        return isReady ? .established : .failed(message)
    }

    /// Queues the preparation of a statement.
    mutating func prepare(_ statement: Statement, as name: String) -> Bool {
        let types = statement.objectIdentifiers
        return unsafe PQsendPrepare(connection, name, statement.sql, Int32(types.count), types) == 1
    }

    /// Queues one call of a prepared statement, with parameters and result in the binary format.
    mutating func execute(_ name: String, _ parameters: Parameters) -> Bool {
        let count = parameters.count
        while formats.count < count {
            unsafe pointers.append(nil)
            lengths.append(0)
            formats.append(1)
        }
        return unsafe parameters.withMemory { memory in
            // The name lends its own memory; passed as it is, it would be copied first.
            unsafe name.withCString { name in
                unsafe pointers.withUnsafeMutableBufferPointer { pointers in
                    unsafe lengths.withUnsafeMutableBufferPointer { lengths in
                        unsafe Parameters.visit(count, in: memory) { index, _, value in
                            // Behind a header there always is an address, also for an empty value.
                            unsafe pointers[index] = value?.baseAddress?.assumingMemoryBound(to: CChar.self)
                            unsafe lengths[index] = Int32(value?.count ?? 0)
                        }
                    }
                }
                return unsafe PQsendQueryPrepared(connection, name, Int32(count), pointers, lengths, formats, 1) == 1
            }
        }
    }

    /// Ends a group: what is before it commits together.
    mutating func sync() -> Bool {
        unsafe PQpipelineSync(connection) == 1
    }

    /// Gives the kernel what is queued.
    mutating func flush() -> Flush {
        switch unsafe PQflush(connection) {
        case 0: .done
        case 1: .blocked
        default: .failed
        }
    }

    /// Takes from the kernel what has arrived; false when the connection is gone (what came before can still be read).
    mutating func receive() -> Bool {
        unsafe PQconsumeInput(connection) == 1
    }

    /// The next answer, or `nil` when none is complete yet.
    mutating func nextReply() -> Reply? {
        // libpq marks the end of each answer with an empty one; after two in a row there is nothing left to read.
        for _ in 0..<3 {
            guard unsafe PQisBusy(connection) == 0 else { return nil }
            if let result = unsafe PQgetResult(connection) { return unsafe Reply(owning: result) }
        }
        return isBroken ? .broken(message) : nil
    }
}

extension ConnectionHandle.Reply {
    /// Takes over a result of libpq.
    init(owning result: OpaquePointer) {
        switch unsafe PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            self = .result(unsafe ResultSet(owning: result))
            return
        case PGRES_PIPELINE_SYNC:
            self = .synced
        case PGRES_PIPELINE_ABORTED:
            self = .skipped
        case PGRES_FATAL_ERROR:
            // An error without a code is libpq's own: it has lost the connection.
            let error = unsafe Diagnosis.error(of: result)
            self = if let error { .refused(error) } else { .broken(unsafe Diagnosis.text(of: result)) }
        default:
            self = .broken("an answer that no statement here asks for")
        }
        unsafe PQclear(result)
    }
}
