package sallyport.client

import java.util.concurrent.CancellationException

/** Is told each state of a checkout, in their order, on the thread that brought it about. */
interface CheckoutListener {
    /** A new state. Hands it over to the thread of the UI (`View.post`), and comes back at once. */
    fun onState(state: CheckoutState)
}

/** Who completes the purchase. */
sealed class Completion {
    /** The cart page in the app's web view. */
    class Page(val page: CartPage) : Completion()

    /** The shop's server. */
    class Server(val server: MerchantServer) : Completion()
}

/**
 * One checkout of an app: out to the secure tab, and back exactly once.
 *
 * Whatever it does is written down first, so that a new object over the same store goes on where the app has died.
 * Any thread may call; [begin], [receive] and [resume] wait for the network, and do not belong on the thread of the UI.
 *
 * @param configuration where the shop is.
 * @param completion who completes the purchase.
 * @param store outlives the app.
 * @param now the time, in milliseconds since 1970.
 * @param pause waits so many seconds.
 */
class Checkout @JvmOverloads constructor(
    private val configuration: CheckoutConfiguration,
    private val completion: Completion,
    private val store: CheckoutStore,
    private val now: () -> Long = System::currentTimeMillis,
    private val pause: (Double) -> Unit = { Thread.sleep((it * 1000).toLong()) }
) {
    private val lock = Any()
    private val listeners = ArrayList<CheckoutListener>()

    /** The newest redemption goes on; an older one no longer changes anything. */
    private var turn = 0

    /** Whether a listener has the address of `Opening`: opened by a second one, too, it would end the checkout. */
    private var isLaunchTold = false

    /** Whether `Failed` is that of a `begin` that was refused for good. */
    private var isRefused = false

    /** Where it stands. */
    @Volatile
    var state: CheckoutState = CheckoutState.Idle
        private set

    /** Tells each state from now on, the present one first; in place of an `Opening` that somebody has been told, `InTab`. */
    fun add(listener: CheckoutListener) {
        synchronized(lock) {
            listeners.add(listener)
            listener.onState(if (isLaunchTold && state is CheckoutState.Opening) CheckoutState.InTab else state)
            isLaunchTold = true
        }
    }

    /** Tells no further state. */
    fun remove(listener: CheckoutListener) {
        synchronized(lock) { listeners.remove(listener) }
    }

    private fun become(state: CheckoutState): CheckoutState {
        this.state = state
        isLaunchTold = listeners.isNotEmpty()
        isRefused = false
        for (listener in ArrayList(listeners)) listener.onState(state)
        return state
    }

    // Out

    /**
     * Takes a ticket that the cart page has handed over by its bridge. The checkout before is over.
     *
     * @return what the tab is opened with.
     * @throws Exception where the store cannot keep it: the tab must not be opened then.
     */
    fun open(ticket: LaunchTicket): Launch = synchronized(lock) { depart(Launch(configuration.launchURL(ticket), ticket)) }

    /**
     * Has the shop's server open a session. The checkout before is over.
     *
     * @param items quantities by the shop's own ids.
     * @param key names this try to buy: after an error it is the same again, for a buyer who starts over a new one.
     * @return what the tab is opened with.
     * @throws Exception [CheckoutError], what the transport or the store throws. [CancellationException] where [cancel], another
     * `begin` or a link has overtaken it: that is no failure, and [state] tells how it stands.
     */
    fun begin(items: Map<String, Int>, key: String): Launch {
        val server = (completion as? Completion.Server)?.server ?: throw CheckoutError("the cart page begins this checkout")
        val mine = synchronized(lock) {
            if (isPaying()) throw CheckoutError("a payment is under way; resume() tells how it ends")
            become(CheckoutState.Starting)
            turn += 1
            turn
        }
        try {
            val url = server.begin(items, configuration.client, key)
            return synchronized(lock) {
                if (mine != turn) throw overtaken()
                depart(launch(url))
            }
        } catch (error: Exception) {
            synchronized(lock) {
                if (mine != turn) throw overtaken()
                become(failure(error))
                isRefused = error is CheckoutError && error.isFinal && !error.mayBePaid
            }
            throw error
        }
    }

    /** A second order beside a payment that may have been made would charge the buyer twice. A record that cannot be read is replaced. */
    private fun isPaying(): Boolean {
        val record = try { store.load() } catch (error: Exception) { null }
        return record != null && record.phase == CheckoutRecord.Phase.RECEIVED
    }

    private fun overtaken() = CancellationException("the checkout was given up, or another one begun")

    private fun launch(url: String): Launch {
        val ticket = LaunchTicket.ofLaunchURL(url)
        if (ticket == null || url != configuration.launchURL(ticket)) throw CheckoutError("the address for the tab is not one of this shop's")
        return Launch(url, ticket)
    }

    private fun depart(launch: Launch): Launch {
        store.save(CheckoutRecord(launch.ticket.text, now()))
        turn += 1
        become(CheckoutState.Opening(launch))
        return launch
    }

    // Back

    /**
     * Takes the link that has opened the app, and completes the purchase, exactly once.
     *
     * @param text as the system hands it over.
     * @return how it ended, or [CheckoutState.Pending], [CheckoutState.Failed], after which [resume] goes on.
     * @throws ReturnLinkRefusal a checkout under way is as it was. Or what the store throws.
     */
    fun receive(text: String): CheckoutState {
        val link = ReturnLink.parse(text, configuration)
        val mine = synchronized(lock) {
            val record = store.load() ?: throw ReturnLinkRefusal(RefusalReason.NO_CHECKOUT)
            if (!Token.areEqual(record.ticket, link.launchTicket.text)) throw ReturnLinkRefusal(RefusalReason.OTHER_CHECKOUT)
            if (record.isReceived(link)) throw ReturnLinkRefusal(RefusalReason.REPLAYED)
            if (record.phase == CheckoutRecord.Phase.OVER) throw ReturnLinkRefusal(RefusalReason.NO_CHECKOUT)
            // Of a tab that has gone on after a decline. What is being decided goes first: the link can be tapped again.
            if (record.phase != CheckoutRecord.Phase.IN_TAB && isDeciding) throw ReturnLinkRefusal(RefusalReason.OTHER_CHECKOUT)
            if (isLate(record)) throw ReturnLinkRefusal(RefusalReason.LATE)
            val parts = CheckoutRecord.Received(link.returnTicket, link.accessToken, link.orderReferenceId)
            // The lock is held since the record was read, so of two deliveries of one link the second finds this.
            store.save(record.with(CheckoutRecord.Phase.RECEIVED, parts))
            follow(CheckoutState.Completing)
        }
        return ask(mine) { redeem(link) }
    }

    /**
     * Goes on after the app has died, or after an error: asks again what is under way, which never pays twice.
     *
     * @return how it stands; while a `begin` waits for its server, just that.
     * @throws Exception what the store throws; a record that cannot be read is of no use, and what it held may be paid.
     */
    fun resume(): CheckoutState {
        var link: ReturnLink? = null
        var ticket: LaunchTicket? = null
        val mine = synchronized(lock) {
            if (state == CheckoutState.Starting) return state
            val record = store.load()
            if (record == null || record.phase == CheckoutRecord.Phase.OVER) return if (isRefused) become(CheckoutState.Idle) else state
            if (record.phase == CheckoutRecord.Phase.RECEIVED) {
                link = record.link(configuration) ?: throw CheckoutError(CheckoutRecord.damaged)
                follow(CheckoutState.Completing)
            } else {
                ticket = LaunchTicket.parse(record.ticket) ?: throw CheckoutError(CheckoutRecord.damaged)
                val first = follow(waiting())
                // No link is taken any more; only a server can know of a payment.
                if (completion is Completion.Page && isLate(record)) return end(CheckoutState.Ended(CheckoutEnd.OVER))
                first
            }
        }
        val received = link
        if (received != null) return ask(mine) { redeem(received) }
        val server = (completion as? Completion.Server)?.server ?: return state
        val own = ticket ?: return state
        return ask(mine) { server.current(own) }
    }

    /**
     * Gives up what can be given up: a tab, a [begin] that waits, or the failure of one. The server's session ends by itself, without a charge.
     * After a return was received it does nothing: the payment may be under way.
     *
     * @throws Exception what the store throws.
     */
    fun cancel() {
        synchronized(lock) {
            val record = store.load()
            if (record != null && record.phase != CheckoutRecord.Phase.OVER) {
                if (record.phase != CheckoutRecord.Phase.IN_TAB) return
                store.save(record.with(CheckoutRecord.Phase.OVER))
            } else if (state is CheckoutState.Failed) {
                // Of a begin: no checkout is there that could have failed.
                become(CheckoutState.Idle)
                return
            } else if (state != CheckoutState.Starting) {
                return
            }
            turn += 1
            become(CheckoutState.Ended(CheckoutEnd.CANCELED))
        }
    }

    /**
     * Tells what the web view has loaded: the receipt of the page says that the purchase is done.
     *
     * @param url the address that the web view shows.
     * @throws Exception what the store throws.
     */
    fun pageArrived(url: String) {
        synchronized(lock) {
            val address = url.substringBefore('#').substringBefore('?')
            if (completion !is Completion.Page || address != configuration.webOrigin + "/thanks") return
            val record = store.load()
            if (record == null || record.phase != CheckoutRecord.Phase.RECEIVED) return
            // Written down: the link is not handed in again when the app starts anew.
            store.save(record.with(CheckoutRecord.Phase.OVER))
            turn += 1
            become(CheckoutState.Paid(Receipt(null, null)))
        }
    }

    /** A clock that was set back by more than a minute says nothing of the time that has passed. */
    private fun isLate(record: CheckoutRecord): Boolean {
        val age = now() - record.startedAt
        return age < -60000 || age > configuration.returnDeadline * 1000
    }

    private val isDeciding get() = state == CheckoutState.Completing || state == CheckoutState.Pending

    /** Waits for a link, unless more was said already. An address for the tab is told once. */
    private fun waiting(): CheckoutState = if (state == CheckoutState.Declined) state else CheckoutState.InTab

    private fun redeem(link: ReturnLink): Redemption = when (completion) {
        is Completion.Page -> completion.page.purchase(link)
        is Completion.Server -> completion.server.redeem(link)
    }

    private fun follow(first: CheckoutState): Int {
        turn += 1
        val mine = turn
        if (first != state) become(first)
        return mine
    }

    private fun ask(mine: Int, question: () -> Redemption): CheckoutState {
        try {
            for (attempt in 1..automaticChecks) {
                val answer = question()
                val seconds = synchronized(lock) {
                    if (mine != turn) return state
                    if (answer !is Redemption.Pending) return settle(answer)
                    become(CheckoutState.Pending)
                    answer.retryAfter
                }
                pause(Math.min(Math.max(seconds, 1.0), longestPause))
            }
            return state
        } catch (error: Exception) {
            if (error is InterruptedException) Thread.currentThread().interrupt()
            return synchronized(lock) { if (mine == turn) become(failure(error)) else state }
        }
    }

    private fun settle(answer: Redemption): CheckoutState = when (answer) {
        is Redemption.Paid -> end(CheckoutState.Paid(answer.receipt))
        is Redemption.Ended -> end(CheckoutState.Ended(answer.end))
        is Redemption.Again -> CheckoutState.Opening(depart(launch(answer.url)))
        Redemption.HandedToPage -> become(CheckoutState.HandedToPage)
        Redemption.Declined -> {
            // The tab is still there: another card brings another link.
            change(CheckoutRecord.Phase.IN_TAB)
            become(CheckoutState.Declined)
        }
        Redemption.None -> end(CheckoutState.Ended(CheckoutEnd.OVER))
        Redemption.Open -> waiting().let { if (it == state) state else become(it) }
        is Redemption.Pending -> state
    }

    private fun end(state: CheckoutState): CheckoutState {
        change(CheckoutRecord.Phase.OVER)
        return become(state)
    }

    private fun change(phase: CheckoutRecord.Phase) {
        store.load()?.let { store.save(it.with(phase)) }
    }

    private fun failure(error: Exception) = CheckoutState.Failed((error as? CheckoutError)?.message ?: "no answer")

    private companion object {
        /** How often it asks by itself before it leaves that to [resume]. */
        const val automaticChecks = 10
        const val longestPause = 30.0
    }
}
