package import Operations
import ServerCore
package import Web

extension CheckoutPart: FeaturePart {
    package static let routes = [
        CheckoutRoutes.pages, CheckoutRoutes.notifications, CheckoutRoutes.about, CheckoutRoutes.links,
    ]

    package func mount(_ routes: inout Routes) throws(RouteError) {
        takeUpGuard()
        try routes.mount(CheckoutRoutes.pages, on: self)
        try routes.mount(CheckoutRoutes.notifications, on: self)
        try routes.mount(CheckoutRoutes.about, on: self)
        try routes.mount(CheckoutRoutes.links, on: self)
    }

    package func schedule(_ jobs: JobSchedule) {
        let recovery = PurchaseRecovery(self)
        jobs.every(PurchaseRecovery.pause, budget: PurchaseRecovery.budget, "purchase.recovery", recovery.run)
        if let upkeep = jobs.upkeep { SessionUpkeep(self).add(to: upkeep) }
    }
}
