package import Commerce
package import MerchantOrders
import Postgres

// Words of closed lists that columns hold.
extension Currency: ColumnValue {}
extension ObjectKind: ColumnValue {}
extension OperationKind: ColumnValue {}
extension OrderState: ColumnValue {}
extension UnsettledKind: ColumnValue {}
