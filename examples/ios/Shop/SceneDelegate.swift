import SallyportClient
import UIKit

/// The app's one window, and the links that open it.
final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    private var cart: CartViewController?

    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
        guard let scene = scene as? UIWindowScene else { return }
        let window = UIWindow(windowScene: scene)
        do {
            let cart = try CartViewController()
            self.cart = cart
            window.rootViewController = cart
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
        cart?.receive(link)
    }
}
