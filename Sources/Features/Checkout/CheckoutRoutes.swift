import HTTPCore
import Web

/// The routes of the checkout.
enum CheckoutRoutes {
    static let pages = RouteGroup<CheckoutPart>(
        on: .web,
        .page,
        [
            .later(
                .get,
                "/button",
                .page,
                "open a launch ticket; the button page",
                beginning: ButtonHandler.opens,
                ButtonHandler.get
            ),
            .later(
                .post,
                "/secureWebviewSession",
                .json,
                "issue a launch ticket",
                beginning: { _, _ in true },
                IssueHandler.post
            ),
            .later(.get, "/confirm_order", .page, "review return; the confirm page", ConfirmHandler.get),
            .later(.post, "/confirm_order", .page, "the buyer agrees; redirect to the provider", ConfirmHandler.post),
            .later(.get, "/checkout_result", .page, "result return; the return link", ResultHandler.get),
            .later(.post, "/purchase", .json, "both secrets presented: complete, once", PurchaseHandler.post),
            .later(.get, "/thanks", .page, "the receipt", ThanksHandler.get),
            .now(.get, "/iosApp/cart", .page, "cart in the iOS app", CartHandler.iosApp),
            .now(.get, "/androidApp/cart", .page, "cart in the Android app", CartHandler.androidApp),
            .now(.get, "/browser/cart", .page, "cart in a browser", CartHandler.browser),
            .later(
                .post,
                "/button",
                .page,
                "open a launch ticket, modes auto_post and tap",
                beginning: { _, _ in true },
                ButtonHandler.post
            ),
            .later(
                .get,
                "/checkout_cancel",
                .page,
                "form to confirm the cancellation, after the buyer has left the provider's page",
                CancelHandler.get
            ),
            .later(.post, "/checkout_cancel", .page, "the buyer cancels for good", CancelHandler.post),
            .later(
                .post,
                "/calc_postage",
                .json,
                "postage and total for the address of the checkout",
                PostageHandler.post
            ),
            .later(.post, "/return", .json, "check a return, change nothing", ReturnHandler.post),
            .later(.post, "/secureWebviewSession/status", .json, "state of a webview session", StatusHandler.post),
            .later(.get, "/rescue", .page, "the return link again", RescueHandler.get),
            .now(.post, "/csp_report", .json, "reports of blocked content", PolicyReportHandler.post),
            .now(.get, "/error", .page, "page of an internal error", ErrorHandler.page),
            .now(.post, "/error", .page, "page of an internal error", ErrorHandler.page),
            .fixed("/crt/sample.crt", .page, "development authority, in demo only") { $0.developmentAuthority },
        ]
    )

    /// What is said of the whole site.
    static let about = RouteGroup<CheckoutPart>(
        on: .web,
        .page,
        [
            .now(.get, "/", .page, "a description with links, in demo only", StartHandler.get)
        ]
    )

    static let links = RouteGroup<CheckoutPart>(
        on: .link,
        .page,
        [
            .fixed("/.well-known/apple-app-site-association", .json, "association file for iOS") {
                $0.appleAssociation
            },
            .fixed("/apple-app-site-association", .json, "the same, older systems") { $0.appleAssociation },
            .fixed("/.well-known/assetlinks.json", .json, "the same for Android") { $0.androidAssociation },
            .now(.get, "/index.html", .page, "page of a link that did not open the app", LinkHandler.fallback),
        ]
    )

    /// What the provider pushes.
    static let notifications = RouteGroup<CheckoutPart>(
        on: .web,
        .json,
        [
            .later(
                .post,
                notificationPath,
                .json,
                "notification of the provider that an object has changed",
                bodyLimit: NotificationHandler.largestMessage,
                patience: NotificationHandler.patience,
                NotificationHandler.post
            )
        ]
    )

    /// Where the provider pushes its messages to.
    static let notificationPath: RoutePattern = "/ipn/amazon-pay"
}
