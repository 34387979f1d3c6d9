package import Operations
import ServerCore
package import Web

extension CheckoutPart: FeaturePart {
    package static let routes = [
        RouteTable.pages, RouteTable.notifications(isTaken: true), RouteTable.about, RouteTable.links,
    ]

    package func mount(_ routes: inout Routes) throws(RouteError) {
        try routes.mount(RouteTable.pages, on: self)
        try routes.mount(RouteTable.notifications(isTaken: notifications != nil), on: self)
        try routes.mount(RouteTable.about, on: self)
        try routes.mount(RouteTable.links, on: self)
        try routes.mount(deployment.assetRoutes, on: self)
    }

    package func schedule(_ jobs: JobSchedule) {
        let recovery = PurchaseRecovery(self)
        jobs.every(PurchaseRecovery.pause, budget: PurchaseRecovery.budget, "purchase.recovery", recovery.run)
        if let upkeep = jobs.upkeep { SessionUpkeep(self).add(to: upkeep) }
    }
}
