import HTTPCore
import Web

/// Every route of the program, in the order in which it is looked through: the busiest first.
enum RouteTable {
    static let all: [Route] = web + late + link + admin

    /// Routes of the web host that are looked for behind all others: nobody waits for them at a page.
    static let late: [Route] = [
        Route(
            .web,
            .post,
            notificationPath,
            .json,
            .later(NotificationHandler.post),
            "what the provider pushes: something has changed, read it"
        ), securityText(.web),
        Route(.web, .get, "/", .page, .now(StartHandler.get), "what a demo is about, in demo only"),
    ]

    private static func securityText(_ face: Route.Face) -> Route {
        Route(
            face,
            .get,
            "/.well-known/security.txt",
            .page,
            .now(SecurityTextHandler.get),
            "where weaknesses are reported to"
        )
    }

    /// Where the provider pushes its messages to.
    static let notificationPath: StaticString = "/ipn/amazon-pay"
    /// The greatest message that the provider pushes.
    static let notificationLimit = 262_144

    static let web: [Route] = [
        Route(
            .web,
            .get,
            "/button",
            .page,
            .beginning(ButtonHandler.get, where: ButtonHandler.opens),
            "open a launch ticket; the button page"
        ),
        Route(
            .web,
            .post,
            "/secureWebviewSession",
            .json,
            .beginning(IssueHandler.post, where: { _ in true }),
            "issue a launch ticket"
        ),
        Route(.web, .get, "/confirm_order", .page, .later(ConfirmHandler.get), "review return; the confirm page"),
        Route(
            .web,
            .post,
            "/confirm_order",
            .page,
            .later(ConfirmHandler.post),
            "the buyer agrees; on to the provider"
        ),
        Route(.web, .get, "/checkout_result", .page, .later(ResultHandler.get), "result return; the way back"),
        Route(.web, .post, "/purchase", .json, .later(PurchaseHandler.post), "both halves meet: complete, once"),
        Route(.web, .get, "/thanks", .page, .later(ThanksHandler.get), "the receipt"),
        Route(.web, .get, "/iosApp/cart", .page, .now(CartHandler.iosApp), "cart in the iOS app"),
        Route(.web, .get, "/androidApp/cart", .page, .now(CartHandler.androidApp), "cart in the Android app"),
        Route(.web, .get, "/browser/cart", .page, .now(CartHandler.browser), "cart in a browser"),
        Route(
            .web,
            .post,
            "/button",
            .page,
            .beginning(ButtonHandler.post, where: { _ in true }),
            "open a launch ticket, modes auto_post and tap"
        ),
        Route(.web, .get, "/checkout_cancel", .page, .later(CancelHandler.get), "the buyer left the provider's page"),
        Route(.web, .post, "/checkout_cancel", .page, .later(CancelHandler.post), "the buyer cancels for good"),
        Route(
            .web,
            .post,
            "/calc_postage",
            .json,
            .later(PostageHandler.post),
            "postage and total, the seed's contract"
        ),
        Route(.web, .post, "/return", .json, .later(ReturnHandler.post), "check a return, consume nothing"),
        Route(.web, .post, "/secureWebviewSession/status", .json, .later(StatusHandler.post), "state of a flow"),
        Route(.web, .get, "/rescue", .page, .later(RescueHandler.get), "the link again, where it did not open the app"),
        Route(.web, .post, "/csp_report", .json, .now(PolicyReportHandler.post), "what a page's policy kept out"),
        Route(.web, .get, "/error", .page, .now(ErrorHandler.page), "the last resort"),
        Route(.web, .post, "/error", .page, .now(ErrorHandler.page), "the last resort"),
        Route(
            .web,
            .get,
            "/crt/sample.crt",
            .page,
            .fixed(\.developmentAuthority),
            "development authority, in demo only"
        ),
    ]

    static let link: [Route] = [
        Route(
            .link,
            .get,
            "/.well-known/apple-app-site-association",
            .json,
            .fixed(\.appleAssociation),
            "association file for iOS"
        ),
        Route(.link, .get, "/apple-app-site-association", .json, .fixed(\.appleAssociation), "the same, older systems"),
        Route(.link, .get, "/.well-known/assetlinks.json", .json, .fixed(\.androidAssociation), "the same for Android"),
        Route(
            .link,
            .get,
            "/index.html",
            .page,
            .now(LinkHandler.fallback),
            "shown where the link did not open the app"
        ), securityText(.link),
    ]

    static let admin: [Route] = [
        Route(.admin, .get, "/healthz", .json, .now(AdminHandler.health), "the process answers"),
        Route(.admin, .get, "/readyz", .json, .now(AdminHandler.readiness), "the database answers too"),
        Route(.admin, .get, "/metrics", .json, .now(AdminHandler.metrics), "Prometheus text"),
    ]
}
