package sallyport.client.tests

import java.io.File

/** All cases; those against a running demo only where WEB, LINK, SIM and CA name one. */
fun main() {
    // The buyer's browser sends Origin, which Java keeps from its programs otherwise.
    System.setProperty("sun.net.http.allowRestrictedHeaders", "true")
    configurations()
    attacks()
    accidents()
    merchant()
    val web = System.getenv("WEB")
    if (web == null) println("skipped the demo: WEB, LINK, SIM and CA name none")
    else demo(web, System.getenv("LINK"), System.getenv("SIM"), File(System.getenv("CA")))
    finish()
}
