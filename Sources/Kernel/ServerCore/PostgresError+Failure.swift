import Postgres
import Primitives
package import Web

extension PostgresError: RefusalError {
    /// The refusal that a failure of the database becomes.
    package var failure: Failure { StoreError(self).failure }
}
