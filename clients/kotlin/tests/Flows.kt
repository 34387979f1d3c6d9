package sallyport.client.tests

import sallyport.client.Checkout
import sallyport.client.CheckoutEnd
import sallyport.client.CheckoutError
import sallyport.client.CheckoutListener
import sallyport.client.CheckoutState
import sallyport.client.CheckoutStore
import sallyport.client.CheckoutRecord
import sallyport.client.ClientKind
import sallyport.client.Completion
import sallyport.client.FileCheckoutStore
import sallyport.client.LaunchTicket
import sallyport.client.MemoryCheckoutStore
import sallyport.client.MerchantServer
import sallyport.client.Receipt
import sallyport.client.Redemption
import sallyport.client.ReturnLink
import java.io.File
import java.io.IOException
import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions
import java.util.concurrent.CancellationException
import java.util.concurrent.CountDownLatch
import kotlin.concurrent.thread

internal val paid = Redemption.Paid(Receipt("1", null))
private val ticket = LaunchTicket.parse(old)!!
private val own = front + query()

private fun folder(): File = Files.createTempDirectory("sallyport-kotlin").toFile()

private fun checkout(page: CountingPage, store: CheckoutStore, pauses: MutableList<Double> = ArrayList()) =
    Checkout(configuration, Completion.Page(page), store, System::currentTimeMillis) { pauses.add(it) }

/** What happens to a checkout whose page is a stand-in: the network's and the app's accidents. */
internal fun accidents() {
    case("two deliveries at once: one redemption") {
        for (round in 1..20) {
            val page = CountingPage()
            val checkout = checkout(page, FileCheckoutStore(File(folder(), "record")))
            checkout.open(ticket)
            val start = CountDownLatch(1)
            val answers = java.util.Collections.synchronizedList(ArrayList<String>())
            val threads = (1..4).map { thread { start.await(); answers.add(refusal { checkout.receive(own) }) } }
            start.countDown()
            threads.forEach { it.join() }
            expect(page.calls, 1)
            expect(answers.sorted(), listOf("REPLAYED", "REPLAYED", "REPLAYED", "taken"))
        }
    }
    case("a lost answer: failed, and resume asks with the same link") {
        val page = CountingPage { if (it == 1) throw IOException("secret") else paid }
        val checkout = checkout(page, MemoryCheckoutStore())
        checkout.open(ticket)
        expect(checkout.receive(own), CheckoutState.Failed("no answer"))
        expect(refusal { checkout.receive(own) }, "REPLAYED")
        expect(checkout.resume(), CheckoutState.Paid(Receipt("1", null)))
        expect(page.calls, 2)
        expect(checkout.resume(), CheckoutState.Paid(Receipt("1", null)))
        expect(page.calls, 2)
    }
    case("pending: asked again after Retry-After, within bounds") {
        val pauses = ArrayList<Double>()
        val waits = listOf(7.0, 0.0, 3600.0, -1.0)
        val page = CountingPage { if (it <= 4) Redemption.Pending(waits[it - 1]) else paid }
        val checkout = checkout(page, MemoryCheckoutStore(), pauses)
        checkout.open(ticket)
        checkout.receive(own)
        expect(pauses, listOf(7.0, 1.0, 30.0, 1.0))
    }
    case("pending for ever: ten times, then left to resume") {
        val page = CountingPage { Redemption.Pending(1.0) }
        val checkout = checkout(page, MemoryCheckoutStore())
        checkout.open(ticket)
        expect(checkout.receive(own), CheckoutState.Pending)
        expect(page.calls, 10)
    }
    case("declined: another link of the same tab is taken, the first is not") {
        val page = CountingPage { if (it == 1) Redemption.Declined else paid }
        val checkout = checkout(page, MemoryCheckoutStore())
        checkout.open(ticket)
        expect(checkout.receive(own), CheckoutState.Declined)
        expect(refusal { checkout.receive(own) }, "REPLAYED")
        expect(checkout.receive(front + query(c = fresh.dropLast(1) + "m")), CheckoutState.Paid(Receipt("1", null)))
    }
    case("again: a new ticket for the tab; the first link is of another checkout") {
        val next = "swa_" + "z".repeat(64)
        val page = CountingPage { if (it == 1) Redemption.Again("https://pay.example.com/button?secureWebviewSessionId=$next") else paid }
        val checkout = checkout(page, MemoryCheckoutStore())
        checkout.open(ticket)
        expect((checkout.receive(own) as CheckoutState.Opening).launch.ticket.text, next)
        expect(refusal { checkout.receive(own) }, "OTHER_CHECKOUT")
        expect(checkout.receive(front + query(a = next, c = "swc_" + "z".repeat(64))), CheckoutState.Paid(Receipt("1", null)))
    }
    for (bad in listOf("https://evil.test/button?secureWebviewSessionId=$old", "https://pay.example.com/x?secureWebviewSessionId=$old",
        "https://pay.example.com/button?secureWebviewSessionId=$old#x", "https://pay.example.com/button?secureWebviewSessionId=x", "javascript:alert(1)"))
        case("again: an address of somebody else is not opened: ${bad.replace(old, "TICKET")}") {
            val checkout = checkout(CountingPage { Redemption.Again(bad) }, MemoryCheckoutStore())
            checkout.open(ticket)
            expect(checkout.receive(own), CheckoutState.Failed("the address for the tab is not one of this shop's"))
        }
    for ((end, text) in listOf(CheckoutEnd.OVER to "over", CheckoutEnd.REFUSED to "refused", CheckoutEnd.CHANGED to "changed"))
        case("ended: $text, and no second redemption") {
            val page = CountingPage { Redemption.Ended(end) }
            val checkout = checkout(page, MemoryCheckoutStore())
            checkout.open(ticket)
            expect(checkout.receive(own), CheckoutState.Ended(end))
            checkout.resume()
            expect(page.calls, 1)
        }
    case("cancel: the link comes too late; after a return it does nothing") {
        val page = CountingPage { throw IOException() }
        val checkout = checkout(page, MemoryCheckoutStore())
        checkout.open(ticket)
        checkout.cancel()
        expect(checkout.state, CheckoutState.Ended(CheckoutEnd.CANCELED))
        expect(refusal { checkout.receive(own) }, "NO_CHECKOUT")
        checkout.open(ticket)
        checkout.receive(own)
        checkout.cancel()
        expect(checkout.state, CheckoutState.Failed("no answer"))
    }
    case("cancel does not wait for a redemption, and an older one changes nothing") {
        val entered = CountDownLatch(1)
        val leave = CountDownLatch(1)
        val page = CountingPage {
            entered.countDown()
            leave.await()
            paid
        }
        val checkout = checkout(page, MemoryCheckoutStore())
        checkout.open(ticket)
        val receiver = thread { checkout.receive(own) }
        entered.await()
        val other = checkout.open(LaunchTicket.parse("swa_" + "z".repeat(64))!!)
        leave.countDown()
        receiver.join()
        expect(checkout.state, CheckoutState.Opening(other))
    }
    case("the page takes over, and its receipt is believed at its own address only") {
        val checkout = checkout(CountingPage { Redemption.HandedToPage }, MemoryCheckoutStore())
        checkout.open(ticket)
        expect(checkout.receive(own), CheckoutState.HandedToPage)
        for (bad in listOf("https://pay.example.com.evil.test/thanks", "https://evil.test/thanks", "https://pay.example.com/x?/thanks"))
            checkout.pageArrived(bad)
        expect(checkout.state, CheckoutState.HandedToPage)
        checkout.pageArrived("https://pay.example.com/thanks?x=1")
        expect(checkout.state, CheckoutState.Paid(Receipt(null, null)))
    }
    case("the link of another card is taken after a decline that only the page has seen") {
        val page = CountingPage { Redemption.HandedToPage }
        val checkout = checkout(page, MemoryCheckoutStore())
        checkout.open(ticket)
        checkout.receive(own)
        val other = own.replace(Regex("orderReferenceId=[^&]*"), "orderReferenceId=S03-other")
        expect(checkout.receive(other), CheckoutState.HandedToPage)
        expect(refusal { checkout.receive(other) }, "REPLAYED")
        expect(page.calls, 2)
    }
    case("no other link is taken while one is being decided") {
        var other = ""
        lateinit var checkout: Checkout
        val page = CountingPage {
            other = refusal { checkout.receive(own.replace(Regex("orderReferenceId=[^&]*"), "orderReferenceId=S03-other")) }
            paid
        }
        checkout = checkout(page, MemoryCheckoutStore())
        checkout.open(ticket)
        checkout.receive(own)
        expect(other, "OTHER_CHECKOUT")
        expect(page.calls, 1)
    }
    case("given up while it is begun: no tab opens") {
        lateinit var checkout: Checkout
        val server = object : MerchantServer {
            override fun begin(items: Map<String, Int>, client: ClientKind, key: String): String {
                checkout.cancel()
                return configuration.launchURL(ticket)
            }
            override fun redeem(link: ReturnLink): Redemption = Redemption.None
            override fun current(ticket: LaunchTicket): Redemption = Redemption.None
        }
        checkout = Checkout(configuration, Completion.Server(server), MemoryCheckoutStore())
        val error = try { checkout.begin(mapOf("tea" to 1), "once").toString() } catch (error: CancellationException) { "given up" }
        expect(error, "given up")
        expect(checkout.state, CheckoutState.Ended(CheckoutEnd.CANCELED))
    }
    case("the receipt of the page counts in an app that starts anew") {
        val store = MemoryCheckoutStore()
        val before = checkout(CountingPage { Redemption.HandedToPage }, store)
        before.open(ticket)
        before.receive(own)
        val after = checkout(CountingPage { Redemption.HandedToPage }, store)
        after.pageArrived("https://pay.example.com/thanks")
        expect(after.state, CheckoutState.Paid(Receipt(null, null)))
        expect(checkout(CountingPage(), store).resume(), CheckoutState.Idle)
    }
    case("a listener is told each state in order") {
        val seen = ArrayList<String>()
        val checkout = checkout(CountingPage { if (it == 1) Redemption.Pending(1.0) else paid }, MemoryCheckoutStore())
        checkout.add(object : CheckoutListener {
            override fun onState(state: CheckoutState) {
                seen.add(state.javaClass.simpleName)
            }
        })
        checkout.open(ticket)
        for (time in 1..2) expect(checkout.resume(), CheckoutState.InTab)
        checkout.receive(own)
        expect(seen, listOf("Idle", "Opening", "InTab", "Completing", "Pending", "Paid"))
    }
    case("the address for the tab is told to one listener alone") {
        val checkout = checkout(CountingPage(), MemoryCheckoutStore())
        checkout.open(ticket)
        val seen = ArrayList<String>()
        for (listener in 1..2) checkout.add(object : CheckoutListener {
            override fun onState(state: CheckoutState) {
                seen.add(state.javaClass.simpleName)
            }
        })
        expect(seen, listOf("Opening", "InTab"))
        checkout.open(ticket)
        expect(seen, listOf("Opening", "InTab", "Opening", "Opening"))
    }
    deaths()
}

/** The app dies: nothing but the file goes on. */
private fun deaths() {
    case("death in the tab: the link starts the app, and is taken") {
        val file = File(folder(), "record")
        checkout(CountingPage(), FileCheckoutStore(file)).open(ticket)
        val page = CountingPage()
        val after = checkout(page, FileCheckoutStore(file))
        expect(after.resume(), CheckoutState.InTab)
        expect(after.receive(own), CheckoutState.Paid(Receipt("1", null)))
        expect(page.calls, 1)
    }
    for ((name, age) in listOf("too late" to 7200001L, "before its start" to -60001L)) case("death in the tab, and resumed $name: it is over") {
        var time = 1000000L
        val store = MemoryCheckoutStore()
        Checkout(configuration, Completion.Page(CountingPage()), store, { time }).open(ticket)
        time += age
        val after = Checkout(configuration, Completion.Page(CountingPage()), store, { time })
        expect(after.resume(), CheckoutState.Ended(CheckoutEnd.OVER))
        expect(refusal { after.receive(own) }, "NO_CHECKOUT")
        expect(Checkout(configuration, Completion.Page(CountingPage()), store, { time }).resume(), CheckoutState.Idle)
    }
    val times = listOf("at the last moment" to 7200000L, "by a clock that was set back" to -60000L)
    for ((name, age) in times) case("death in the tab, and resumed $name: the link is taken") {
        var time = 1000000L
        val store = MemoryCheckoutStore()
        Checkout(configuration, Completion.Page(CountingPage()), store, { time }).open(ticket)
        time += age
        val after = Checkout(configuration, Completion.Page(CountingPage()), store, { time })
        expect(after.resume(), CheckoutState.InTab)
        expect(after.receive(own), CheckoutState.Paid(Receipt("1", null)))
    }
    case("death after the link was written down, before and during the redemption") {
        val file = File(folder(), "record")
        val before = Checkout(configuration, Completion.Page(CountingPage { throw IOException() }), FileCheckoutStore(file))
        before.open(ticket)
        before.receive(own)
        val page = CountingPage()
        val after = checkout(page, FileCheckoutStore(file))
        expect(refusal { after.receive(own) }, "REPLAYED")
        expect(after.resume(), CheckoutState.Paid(Receipt("1", null)))
        expect(page.calls, 1)
    }
    case("death after the answer: nothing is asked again") {
        val file = File(folder(), "record")
        val before = checkout(CountingPage(), FileCheckoutStore(file))
        before.open(ticket)
        before.receive(own)
        val page = CountingPage()
        val after = checkout(page, FileCheckoutStore(file))
        expect(after.resume(), CheckoutState.Idle)
        expect(refusal { after.receive(own) }, "REPLAYED")
        expect(page.calls, 0)
    }
    case("a store that cannot write: no redemption, no tab") {
        val page = CountingPage()
        val good = MemoryCheckoutStore()
        var isBroken = false
        val store = object : CheckoutStore {
            override fun load() = good.load()
            override fun save(record: CheckoutRecord) = if (isBroken) throw IOException("full") else good.save(record)
        }
        val checkout = checkout(page, store)
        checkout.open(ticket)
        isBroken = true
        expect(try { checkout.receive(own).toString() } catch (error: IOException) { error.message }, "full")
        expect(page.calls, 0)
        isBroken = false
        expect(checkout.receive(own), CheckoutState.Paid(Receipt("1", null)))
    }
    case("the file: mode 0600, and no other file beside it") {
        val file = File(folder(), "record")
        checkout(CountingPage(), FileCheckoutStore(file)).open(ticket)
        expect(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.toPath())), "rw-------")
        expect(file.parentFile.list()!!.toList(), listOf("record"))
    }
    val file = File(folder(), "record")
    checkout(CountingPage(), FileCheckoutStore(file)).open(ticket)
    val whole = file.readText()
    for ((name, text) in listOf("empty" to "", "half" to whole.take(40), "not JSON" to "x", "a list" to "[]", "another phase" to whole.replace("IN_TAB", "X"),
        "received without a link" to whole.replace("IN_TAB", "RECEIVED"), "no ticket" to whole.replace("swa_", "swb_"), "deep" to "[".repeat(60000),
        "too long" to whole + " ".repeat(70000))) case("a damaged record ($name): an error value, and a new checkout goes on") {
        file.writeText(text)
        val checkout = checkout(CountingPage(), FileCheckoutStore(file))
        val error = try { checkout.resume().toString() } catch (error: Exception) { error.message }
        expect(error, "the record of the checkout is damaged")
        checkout.open(ticket)
        expect(checkout.receive(own), CheckoutState.Paid(Receipt("1", null)))
    }
}
