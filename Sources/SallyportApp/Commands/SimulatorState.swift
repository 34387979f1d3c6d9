import EventIO
import Simulators
import Telemetry

/// The file in which a simulator keeps what its next run has to know.
struct SimulatorState: Sendable {
    let path: String
    private let logger: Logger

    /// Far above what a demo comes to.
    private static let limit = 1 << 30

    init(path: String, _ logger: Logger) {
        self.path = path
        self.logger = logger
    }

    /// Reads the file, where there is one; one that does not fit is put aside, since a simulator without a past is of use, too.
    func load(into simulator: AmazonPaySimulator) {
        guard Files.exists(path) else { return }
        do {
            try simulator.recall(try Files.read(path, limit: SimulatorState.limit))
        } catch {
            note("simulator.state_refused", error)
            // It is somebody's: the end of this run writes over what stands here.
            do { try Files.move(path, to: path + ".refused") } catch { note("simulator.state_refused", error) }
        }
    }

    /// Writes the file, whole or not at all.
    func keep(_ simulator: AmazonPaySimulator) {
        do {
            try Files.write(path, try simulator.remember(), mode: 0o600)
        } catch {
            note("simulator.state_not_kept", error)
        }
    }

    private func note(_ event: StaticString, _ error: any Error) {
        let detail = (error as? IOError)?.description ?? "not written by this version of the program"
        logger.warning(event, [LogField("path", path), LogField("detail", detail)])
    }
}
