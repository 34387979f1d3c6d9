package sallyport.client.tests

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import sallyport.client.Checkout
import sallyport.client.CheckoutEnd
import sallyport.client.CheckoutState
import sallyport.client.ClientKind
import sallyport.client.Completion
import sallyport.client.LaunchTicket
import sallyport.client.MemoryCheckoutStore
import sallyport.client.MerchantServer
import sallyport.client.Receipt
import sallyport.client.Redemption
import sallyport.client.ReturnLink
import sallyport.client.coroutines.SuspendingCheckout
import java.util.concurrent.CancellationException
import java.util.concurrent.CountDownLatch

private val launchTicket = LaunchTicket.parse(old)!!
private val link = front + query()

private fun suspending(page: CountingPage) =
    SuspendingCheckout(Checkout(configuration, Completion.Page(page), MemoryCheckoutStore(), System::currentTimeMillis) {})

private fun names(states: List<CheckoutState>) = states.map { it.javaClass.simpleName }

/** The add-on for coroutines, with the real library. */
fun main() {
    case("coroutines: a call waits on another thread than its caller's") {
        var worker: Thread? = null
        val checkout = suspending(CountingPage {
            worker = Thread.currentThread()
            paid
        })
        checkout.checkout.open(launchTicket)
        runBlocking { expect(checkout.receive(link), CheckoutState.Paid(Receipt("1", null))) }
        expect(worker != null && worker != Thread.currentThread(), true)
    }
    case("coroutines: each state in order, the present one first") {
        val checkout = suspending(CountingPage { if (it == 1) Redemption.Pending(1.0) else paid })
        val seen = runBlocking {
            val isCollecting = CompletableDeferred<Unit>()
            val states = ArrayList<CheckoutState>()
            val collector = launch {
                checkout.states.take(5).collect {
                    states.add(it)
                    isCollecting.complete(Unit)
                }
            }
            isCollecting.await()
            checkout.checkout.open(launchTicket)
            checkout.receive(link)
            collector.join()
            states
        }
        expect(names(seen), listOf("Idle", "Opening", "Completing", "Pending", "Paid"))
    }
    case("coroutines: a collector that has gone is a listener no more") {
        val checkout = suspending(CountingPage())
        runBlocking {
            expect(checkout.states.first(), CheckoutState.Idle)
            checkout.checkout.open(launchTicket)
            // Nobody has been told the address: the next collector is.
            expect(names(checkout.states.take(1).toList()), listOf("Opening"))
        }
    }
    case("coroutines: a caller that is cancelled does not stop the payment") {
        val entered = CompletableDeferred<Unit>()
        val leave = CountDownLatch(1)
        val page = CountingPage {
            entered.complete(Unit)
            leave.await()
            paid
        }
        val checkout = suspending(page)
        checkout.checkout.open(launchTicket)
        runBlocking {
            val caller = launch { checkout.receive(link) }
            entered.await()
            caller.cancel()
            leave.countDown()
            caller.cancelAndJoin()
        }
        expect(checkout.checkout.state, CheckoutState.Paid(Receipt("1", null)))
        expect(page.calls, 1)
    }
    case("coroutines: a begin that was given up ends its coroutine, and is no failure") {
        lateinit var checkout: SuspendingCheckout
        val server = object : MerchantServer {
            override fun begin(order: String, client: ClientKind, key: String): String {
                runBlocking { checkout.cancel() }
                return configuration.launchUrl(launchTicket)
            }
            override fun redeem(link: ReturnLink): Redemption = Redemption.None
            override fun current(ticket: LaunchTicket): Redemption = Redemption.None
        }
        checkout = SuspendingCheckout(Checkout(configuration, Completion.Server(server), MemoryCheckoutStore()))
        val error = runBlocking { try { checkout.begin(mapOf("tea" to 1), "once").toString() } catch (error: CancellationException) { "given up" } }
        expect(error, "given up")
        expect(runBlocking { checkout.resume() }, CheckoutState.Ended(CheckoutEnd.CANCELLED))
    }
    finish()
}
