package sallyport.client.tests

import java.io.File

/** All cases; those against a running demo only where WEB, LINK, SIM and CA name one, and SHOP the shop's server over it. */
fun main() {
    // The buyer's browser sends Origin, which Java keeps from its programs otherwise.
    System.setProperty("sun.net.http.allowRestrictedHeaders", "true")
    configurations()
    attacks()
    accidents()
    mutations()
    merchant()
    accounts()
    cartPage()
    platform()
    sample()
    val web = System.getenv("WEB")
    if (web == null) println("skipped the demo: WEB, LINK, SIM and CA name none") else against(web)
    finish()
}

private fun against(web: String) {
    val isStrict = System.getenv("PROFILE") == "strict"
    val demo = Demo(web, System.getenv("LINK"), System.getenv("SIM"), File(System.getenv("CA")), isStrict)
    pages(demo)
    val shop = System.getenv("SHOP")
    if (shop == null) println("skipped shop.py: SHOP names none") else shops(demo, shop)
    println("${demo.purchases} purchases")
}
