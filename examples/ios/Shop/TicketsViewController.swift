import SallyportClient
import StoreKit
import UIKit

/// Tickets, bought in the App Store and spent at the server: the app counts nothing itself.
final class TicketsViewController: UIViewController {
    private static let product = "consumable.ticket.10"

    private let purchases: Purchases
    private let label = UILabel()
    private let stack = UIStackView()

    /// - Parameters:
    ///   - account: What the shop calls the user who is signed in.
    ///   - token: Asks the shop's server for a token of the user's account.
    init(account: String, token: @escaping @Sendable () async throws -> String) throws {
        guard let server = URL(string: "https://pay.example.com") else { throw CheckoutError("no address") }
        purchases = Purchases(
            of: try AppAccount(at: server, token: token),
            from: StoreKitSource(),
            spends: try FileSpendStore.onDevice(of: account)
        )
        super.init(nibName: nil, bundle: nil)
        title = "Tickets"
        // At the start of the app, whatever screen it shows: what was paid and not granted yet is granted now.
        Task { [weak self, purchases] in
            for await outcome in await purchases.outcomes() { await self?.show(outcome) }
        }
        Task { [purchases] in await purchases.start() }
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) { nil }

    override func loadView() {
        stack.axis = .vertical
        stack.spacing = 16
        stack.addArrangedSubview(label)
        stack.addArrangedSubview(button("Buy ten tickets") { [weak self] in await self?.buy() })
        stack.addArrangedSubview(button("Enter the show") { [weak self] in await self?.enter() })
        view = stack
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        Task { await showBalance() }
    }

    private func button(_ title: String, _ action: @escaping @MainActor () async -> Void) -> UIButton {
        let button = UIButton(type: .system)
        button.setTitle(title, for: .normal)
        button.addAction(UIAction { _ in Task { await action() } }, for: .touchUpInside)
        return button
    }

    private func buy() async {
        do {
            guard let product = try await Product.products(for: [Self.product]).first else {
                label.text = "There are no tickets in the App Store now."
                return
            }
            // What comes of it is shown as any other purchase.
            if case .pending = try await purchases.buy(product) {
                label.text = "Somebody in the family has to agree. The tickets come by themselves then."
            }
        } catch {
            label.text = "Nothing was bought. Please try again."
        }
    }

    private func enter() async {
        do {
            // The same again after an error, also when the app was started anew: it is spent once.
            let left = try await purchases.spend(1, for: "show-4711")
            label.text = "Welcome! \(left.spendable) tickets are left."
        } catch let error as AccountError where error.code == "units_too_few" {
            label.text = "You have no ticket."
        } catch {
            label.text = "There is no connection. Please try again; it costs one ticket."
        }
    }

    private func show(_ outcome: PurchaseOutcome) async {
        switch outcome {
        case .granted: await showBalance()
        case .refused(_, let error) where error.code == "purchase_revoked": await showBalance()
        case .refused: label.text = "This purchase belongs to another account."
        case .waiting: label.text = "Your purchase is kept, and comes as soon as the shop can be reached."
        }
    }

    private func showBalance() async {
        guard let balance = try? await purchases.balance() else { return }
        label.text = "You have \(balance.spendable) tickets."
    }
}
