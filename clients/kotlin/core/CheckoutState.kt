package sallyport.client

/** Where a checkout stands: what an app shows. */
sealed class CheckoutState {
    /** None is under way. */
    object Idle : CheckoutState()

    /** The session is being opened. */
    object Starting : CheckoutState()

    /** The secure tab is to be opened with this, at once and once. */
    data class Opening(val launch: Launch) : CheckoutState()

    /** The tab was opened before [Checkout.resume], maybe by an app that has ended since; only a return link or the server says what happened in it. */
    object InTab : CheckoutState()

    /** The return was received, and the payment is being completed. */
    object Completing : CheckoutState()

    /** Not decided yet; it is asked again by itself. */
    object Pending : CheckoutState()

    /** The page in the web view has taken over and shows how it ends. */
    object HandedToPage : CheckoutState()

    /** Paid. */
    data class Paid(val receipt: Receipt) : CheckoutState()

    /** The bank or the provider said no; the buyer may try another way in the tab. */
    object Declined : CheckoutState()

    /** Over without a payment. */
    data class Ended(val end: CheckoutEnd) : CheckoutState()

    /**
     * Nothing is known: the network or a server was away.
     *
     * [Checkout.resume] asks again, which is always safe; where it was [Checkout.begin] that has failed, that under the same key.
     */
    data class Failed(val error: String) : CheckoutState()

    /** Without anything secret. */
    override fun toString(): String = javaClass.simpleName
}

/**
 * What the secure tab is opened with, once.
 *
 * @property url an address that is a secret until it was opened: for the tab alone, never for a log.
 * @property ticket the ticket in it.
 */
class Launch internal constructor(val url: String, val ticket: LaunchTicket) {
    override fun equals(other: Any?): Boolean = other is Launch && url == other.url && ticket == other.ticket

    override fun hashCode(): Int = url.hashCode()

    /** Without the secret. */
    override fun toString(): String = "a launch"
}

/**
 * What a shop says of a paid order.
 *
 * @property reference the shop's number of the order.
 * @property total the total as the server writes it.
 */
data class Receipt(val reference: String?, val total: String?)

/** Why a checkout is over without a payment. */
enum class CheckoutEnd {
    /** The buyer or the app gave it up. */
    CANCELED,

    /** It has ended at the server. */
    OVER,

    /** The server did not take this app for the one that had started it. The app starts anew. */
    REFUSED,

    /** Something about the order has changed; the buyer starts anew from the cart. */
    CHANGED
}

/**
 * What went wrong with a call.
 *
 * @param message for a log; without anything secret.
 * @property retryAfter how long to wait before the same is asked again, in seconds, where the server said so.
 * @property status of HTTP, where a server has answered: 401 says that the login is over. Of 400 to 499 it is final, but for 401, 408 and 429.
 */
class CheckoutError @JvmOverloads constructor(message: String, val retryAfter: Double? = null, val status: Int? = null) : Exception(message) {
    /** Whether a server has said no: the same is refused again, and nothing was begun. */
    val isFinal: Boolean = status in 400..499 && status !in listOf(401, 408, 429)

    /** Of a `begin`: whether its key was used before (409, or 422 for other items). The order of that key may be paid. */
    val mayBePaid: Boolean = status == 409 || status == 422
}

/** What came of handing in a return. */
sealed class Redemption {
    /** Paid, now or before. */
    data class Paid(val receipt: Receipt) : Redemption()

    /** Not decided; the same is asked again after so many seconds. */
    data class Pending(val retryAfter: Double) : Redemption()

    /** The tab is opened once more with this address, for the payment itself. */
    class Again(val url: String) : Redemption()

    /** The page in the web view goes on by itself. */
    object HandedToPage : Redemption()

    /** Nothing is under way. */
    object None : Redemption()

    /** The tab has not been left yet. */
    object Open : Redemption()

    /** No money; the buyer may try another way. */
    object Declined : Redemption()

    /** Over without a payment. */
    data class Ended(val end: CheckoutEnd) : Redemption()

    /** Without anything secret. */
    override fun toString(): String = javaClass.simpleName
}

/** The cart page, for an app whose cart is in a web view. */
interface CartPage {
    /**
     * Calls the page's `purchase`. The same link, received and checked, may be handed in again.
     *
     * @throws Exception where the page or the network is away; nothing is lost, and the same may be tried again.
     */
    fun purchase(link: ReturnLink): Redemption
}

/**
 * The shop's own server, for an app with a cart of its own.
 *
 * It opens the session, and keeps its proof bound to the login of the buyer: no secret but the ticket is ever in the app.
 * Each call throws [CheckoutError] or what the transport throws.
 */
interface MerchantServer {
    /**
     * Opens a session.
     *
     * @param items quantities by the shop's own ids.
     * @param client the kind of this app.
     * @param key names this opening: sent again under it, it has no second effect.
     * @return the address for the tab.
     */
    fun begin(items: Map<String, Int>, client: ClientKind, key: String): String

    /** Hands in the return, received and checked; the same may be handed in again. */
    fun redeem(link: ReturnLink): Redemption

    /** How the checkout of a ticket stands; the login may have begun others since, on other devices. */
    fun current(ticket: LaunchTicket): Redemption
}
