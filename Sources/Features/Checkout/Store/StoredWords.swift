package import Commerce
package import MerchantOrders
import Postgres
package import SessionBroker

// Words of closed lists that columns hold.
extension ClientKind: ColumnValue {}
extension Currency: ColumnValue {}
extension ObjectKind: ColumnValue {}
extension OperationKind: ColumnValue {}
extension OrderState: ColumnValue {}
extension UnsettledKind: ColumnValue {}
extension WebviewSessionState: ColumnValue {}
