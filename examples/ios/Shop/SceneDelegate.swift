import SallyportClient
import UIKit

/// The app's one window, and the links that open it.
final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    private var cart: CartViewController?
    private let tabs = UITabBarController(nibName: nil, bundle: nil)

    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
        guard let scene = scene as? UIWindowScene else { return }
        let window = UIWindow(windowScene: scene)
        do {
            let cart = try CartViewController()
            self.cart = cart
            let tickets = try TicketsViewController(account: "hanako") {
                // Your server asks for one, and gives it to the app of the user who is signed in there.
                throw CheckoutError("no server of the shop")
            }
            tabs.viewControllers = [cart, tickets]
            window.rootViewController = tabs
        } catch {
            assertionFailure("The shop's addresses are wrong, or its folder cannot be made: \(error)")
        }
        window.makeKeyAndVisible()
        self.window = window
        // The app was not running when the link came.
        options.userActivities.forEach(take)
    }

    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
        take(userActivity)
    }

    private func take(_ activity: NSUserActivity) {
        guard let link = Checkout.link(of: activity) else { return }
        tabs.selectedIndex = 0
        cart?.receive(link)
    }
}
