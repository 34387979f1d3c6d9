package sallyport.client.tests

/** All cases; those against a running demo only where WEB, LINK, SIM and CA name one. */
fun main() {
    configurations()
    attacks()
    accidents()
    finish()
}
