import AppStoreTransactions
import Primitives
import Web

/// What Apple has said of a customer.
struct CustomerReading {
    /// Purchases that were read.
    var read = 0
    /// Those of them that something was granted or taken back for, or that were not known.
    var changed = 0
    /// Where the refunds are read on; `nil` where they were not read.
    var refundMark: String?
    /// Where the purchases are read on; `nil` where they were not read.
    var historyMark: String?
    /// Whether everything was read; there may be more than one reading takes.
    var isWhole = true
}

/// Why a reading has not come to its end.
enum ReadingError: Error {
    /// Apple's server has not said it.
    case server(ServerAPIProblem)
    /// What it said could not be kept.
    case failure(Failure)
    /// Its pages do not advance.
    case stuck

    /// Whether other customers cannot be asked about now, either.
    var isGeneral: Bool {
        switch self {
        case .server(.refused), .stuck: false
        case .server(.off), .server(.noServer), .server(.credentials), .server(.unavailable), .server(.later), .failure:
            true
        }
    }

    /// How long to leave the customer alone.
    func pause(at now: WallTime) -> Duration {
        guard case .server(.later(let time)) = self else { return .seconds(isGeneral ? 600 : 14_400) }
        return .microseconds(min(max(time.microseconds - now.microseconds, 1_000_000), 3_600_000_000))
    }

    /// For the log.
    var sentence: String {
        switch self {
        case .server(let problem): problem.sentence
        case .failure(let failure): failure.detail
        case .stuck: "the pages of a customer do not advance"
        }
    }
}

/// A list that Apple has of a customer.
enum CustomerList {
    case refunds, history

    /// The request for a page.
    ///
    /// Both lists are ascending, so that the mark of the last page is where the next reading begins.
    func request(_ customer: ReconciledCustomer, _ mark: String?) throws(ServerAPIRequestError) -> ServerAPIRequest {
        switch self {
        case .refunds: return try .refundHistory(customer.transaction, revision: mark)
        case .history:
            var filter = HistoryFilter()
            // The same on each page: a mark is for one filter.
            filter.start = customer.since
            return try .transactionHistory(customer.transaction, filter: filter, revision: mark)
        }
    }
}
