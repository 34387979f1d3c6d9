package import Operations
import Postgres
import Primitives
package import Telemetry

/// Whether inserts find a partition, as the process has read it last; shared by all loops.
package final class PartitionHealth: Sendable {
    private let metrics: MetricsRegistry
    private let state = Lock<(gauge: Gauge?, isMissing: Bool)>((nil, false))

    /// Health without a reading: nothing is known to be missing, and there is no gauge yet whose zero would be an alarm.
    package init(_ metrics: MetricsRegistry) {
        self.metrics = metrics
    }

    /// Whether an insert would fail now.
    package var isMissing: Bool { state.withLock { $0.isMissing } }

    /// Takes a reading in.
    func note(_ margin: PostgresPartitionStore.Margin) {
        state.withLock { state in
            let gauge =
                state.gauge
                ?? metrics.gauge(
                    "sallyport_partition_days_left",
                    help: "Whole days for which partitions exist, in the table whose partitions run out first."
                )
            gauge.set(margin.days)
            state = (gauge, margin.isMissing)
        }
    }
}

/// Makes partitions, reads how far they reach, and drops those past retention: steps that fail each by itself.
package final class PartitionUpkeep {
    private let store: PostgresPartitionStore
    private let health: PartitionHealth
    private let retentions: [Retention]
    private let logger: Logger
    private var runsUntilWarning = 0
    private var dropped: [String: PostgresPartitionStore.Dropped] = [:]

    /// Below so many days somebody has to look; the program makes them ten days ahead and more.
    static let leastDays = 7
    /// An hour.
    private static let runsPerWarning = 60

    /// Upkeep of the partitions.
    ///
    /// - Parameters:
    ///   - store: Of the same loop.
    ///   - retentions: What is dropped; of tables whose feature is off nothing is.
    ///   - logger: For what was done, and what could not be.
    package init(
        _ store: PostgresPartitionStore,
        health: PartitionHealth,
        _ retentions: [Retention],
        logger: Logger
    ) {
        self.store = store
        self.health = health
        self.retentions = retentions
        self.logger = logger
    }

    /// Adds its work, in small steps; a part that fails holds up no other.
    package func add(to upkeep: Upkeep) {
        upkeep.addFirst { await self.makeAhead() }
        for retention in retentions { upkeep.add { await self.drop(retention) } }
        upkeep.addEnding {
            for (kind, work) in self.dropped { self.log(work, of: kind) }
            self.dropped = [:]
        }
    }

    /// Makes what is due and reads how far the partitions reach; once a minute.
    func makeAhead() async {
        await step("upkeep.partitions_not_made") { () async throws(PostgresError) in try await make() }
        await step("upkeep.partitions_not_read") { () async throws(PostgresError) in try await readMargin() }
    }

    /// Drops one partition past retention; whether there may be more.
    private func drop(_ retention: Retention) async -> Bool {
        var hasMore = false
        await step("upkeep.partitions_not_dropped") { () async throws(PostgresError) in
            let work = try await store.drop(retention)
            dropped[retention.name, default: PostgresPartitionStore.Dropped()] += work
            hasMore = work.hasMore
        }
        return hasMore
    }

    private func step(_ event: StaticString, _ body: () async throws(PostgresError) -> Void) async {
        do throws(PostgresError) {
            try await body()
        } catch {
            logger.warning(event, [LogField("detail", error.debugDescription)])
        }
    }

    private func make() async throws(PostgresError) {
        let made = try await store.make()
        if made.count > 0 { logger.info("upkeep.partitions_made", [LogField("count", made.count)]) }
        guard let problem = made.problem else { return }
        logger.warning(
            "upkeep.partitions_not_made",
            [LogField("count", made.failed), LogField("detail", problem)]
        )
    }

    private func readMargin() async throws(PostgresError) {
        let margin = try await store.margin()
        health.note(margin)
        guard margin.days < PartitionUpkeep.leastDays else {
            runsUntilWarning = 0
            return
        }
        let fields = [LogField("table", margin.table), LogField("days", margin.days)]
        guard !margin.isMissing else { return logger.error("partitions.missing", fields) }
        guard runsUntilWarning == 0 else {
            runsUntilWarning -= 1
            return
        }
        runsUntilWarning = PartitionUpkeep.runsPerWarning
        logger.warning("partitions.running_out", fields)
    }

    private func log(_ dropped: PostgresPartitionStore.Dropped, of kind: String) {
        let kind = LogField("of", kind)
        if dropped.count > 0 { logger.info("upkeep.partitions_dropped", [kind, LogField("count", dropped.count)]) }
        if let problem = dropped.problem {
            logger.warning("upkeep.partitions_not_dropped", [kind, LogField("detail", problem)])
        }
        // Somebody has read for so long that a drop would have made others wait.
        if dropped.overdue > 0 {
            logger.info("upkeep.partitions_kept", [kind, LogField("count", dropped.overdue)])
        }
    }
}
