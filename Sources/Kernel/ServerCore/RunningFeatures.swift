package import Operations
import Telemetry
package import Web

/// The features of a process, shared by its loops.
package struct RunningFeatures: Sendable {
    struct Member: Sendable {
        let type: any Feature.Type
        let process: any FeatureProcess
    }

    let members: [Member]

    init(_ members: [Member]) {
        self.members = members
    }

    /// Has each compare its settings with the database, in list order.
    ///
    /// - Throws: The first error.
    package func prepare(_ loop: LoopContext) async throws {
        for member in members { try await member.process.prepare(loop) }
    }

    /// Opens all of them on a loop, in list order.
    ///
    /// - Throws: The first error.
    package func open(_ loop: LoopContext) throws -> FeatureParts {
        FeatureParts(try members.map { try loop.open($0.type, $0.process) })
    }

    /// Has each read its files again.
    ///
    /// - Parameter refused: Called for each that goes on with what it had.
    package func reload(refused: (_ name: String, any Error) -> Void) {
        for member in members {
            do {
                try member.process.reload()
            } catch {
                refused(member.type.card.name, error)
            }
        }
    }

    /// Ends their threads, in the reverse of list order; once their parts are not asked any more.
    package func stop() {
        for member in members.reversed() { member.process.stop() }
    }

    /// How long the rows of their partitioned tables are kept.
    package var retentions: [Retention] { members.flatMap(\.process.retentions) }

    /// Those that do not work as they should, and why.
    package var degraded: [(name: String, reason: String)] {
        members.compactMap { member in
            guard case .degraded(let reason) = member.process.health else { return nil }
            return (member.type.card.name, reason)
        }
    }

    /// Why nothing can be served; `nil` where it can.
    package var unreadyReason: String? {
        members.lazy.compactMap { member in
            guard case .unready(let reason) = member.process.health else { return nil }
            return reason
        }.first
    }
}

/// The features on one loop.
package struct FeatureParts {
    private let parts: [any FeaturePart]

    init(_ parts: [any FeaturePart]) {
        self.parts = parts
    }

    /// The part of a type; `nil` where the settings switch its feature off.
    package func first<Part: FeaturePart>(_ type: Part.Type) -> Part? { parts.lazy.compactMap { $0 as? Part }.first }

    /// The hosts of all, in list order.
    package var sites: [Site] { parts.flatMap(\.sites) }

    /// Mounts the rows of all, in list order.
    package func mount(_ routes: inout Routes) throws(RouteError) {
        for part in parts { try part.mount(&routes) }
    }

    /// Schedules the periodic work of all.
    package func schedule(_ jobs: JobSchedule) {
        for part in parts { part.schedule(jobs) }
    }
}
