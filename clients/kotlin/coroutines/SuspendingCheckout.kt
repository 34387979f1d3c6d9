package sallyport.client.coroutines

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.awaitClose
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.flow.callbackFlow
import kotlinx.coroutines.withContext
import sallyport.client.Checkout
import sallyport.client.CheckoutListener
import sallyport.client.CheckoutState
import sallyport.client.Launch

/**
 * A checkout for coroutines: its calls suspend, and may be made on the thread of the UI.
 *
 * A caller that is cancelled gives up waiting only when the call has come to its end: a payment under way goes on, and [states] tells it.
 *
 * @property checkout what it calls, which may be called beside it.
 * @param dispatcher has a thread for each call while it waits for the network, for some minutes where a payment is pending.
 */
class SuspendingCheckout(val checkout: Checkout, private val dispatcher: CoroutineDispatcher = Dispatchers.IO) {
    /** Each state from now on, the present one first, to each collector; see [Checkout.add]. */
    val states: Flow<CheckoutState> = callbackFlow {
        val listener = object : CheckoutListener {
            override fun onState(state: CheckoutState) {
                // The buffer has no bound, so it fails only where nobody collects any more.
                trySend(state)
            }
        }
        checkout.add(listener)
        awaitClose { checkout.remove(listener) }
    }.buffer(Channel.UNLIMITED)

    /** As [Checkout.begin]. */
    suspend fun begin(items: Map<String, Int>, key: String): Launch = withContext(dispatcher) { checkout.begin(items, key) }

    /** As [Checkout.begin]. */
    suspend fun begin(order: String, key: String): Launch = withContext(dispatcher) { checkout.begin(order, key) }

    /** As [Checkout.receive]. */
    suspend fun receive(text: String): CheckoutState = withContext(dispatcher) { checkout.receive(text) }

    /** As [Checkout.resume]. */
    suspend fun resume(): CheckoutState = withContext(dispatcher) { checkout.resume() }

    /** As [Checkout.cancel]; its store may write to a disk. */
    suspend fun cancel() = withContext(dispatcher) { checkout.cancel() }
}
