package sallyport.client

/**
 * The launch ticket: opens the secure tab once, and afterwards tells to which checkout a return belongs.
 *
 * @property text `swa_` and 64 characters of base64url: a secret until the tab was opened.
 */
class LaunchTicket private constructor(val text: String) {
    /** The id of its session, as a UUID in small letters, which is no secret. */
    val sessionId: String
        get() {
            val bits = text.substring(4, 26).map { Integer.toBinaryString(64 + Token.value(it)).substring(1) }.joinToString("")
            val digits = bits.take(128).chunked(4).map { Integer.toHexString(it.toInt(2)) }.joinToString("")
            return listOf(0..7, 8..11, 12..15, 16..19, 20..31).joinToString("-") { digits.substring(it) }
        }

    override fun equals(other: Any?): Boolean = other is LaunchTicket && Token.areEqual(text, other.text)

    override fun hashCode(): Int = text.hashCode()

    /** Without the secret. */
    override fun toString(): String = "swa_..."

    companion object {
        private const val name = "secureWebviewSessionId="

        /** A ticket, or `null` where the text, as the page has it, is not one. */
        @JvmStatic
        fun parse(text: String): LaunchTicket? = if (Token.isToken(text, "swa_")) LaunchTicket(text) else null

        /** The ticket of an address for the tab, as the merchant's server hands it out, or `null` where it has none. */
        @JvmStatic
        fun ofLaunchUrl(url: String): LaunchTicket? {
            val items = url.substringAfter('?', "").substringBefore('#').split('&').filter { it.startsWith(name) }
            return if (items.size == 1) parse(items[0].substring(name.length)) else null
        }
    }
}

/** What tokens have in common: a tag, and 48 bytes of which the first 16 name the session. */
internal object Token {
    /** 16 bytes are 21 characters and a third of the next. */
    private const val sessionCharacters = 21
    private const val alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    fun value(character: Char): Int = alphabet.indexOf(character)

    fun isToken(text: String, tag: String): Boolean =
        text.startsWith(tag) && text.length == tag.length + 64 && text.substring(tag.length).all { it in alphabet }

    /** Whether two tokens name the same session; neither has to be a secret for that. */
    fun sameSession(one: String, other: String): Boolean {
        if (one.length != 68 || other.length != 68) return false
        val left = one.substring(4)
        val right = other.substring(4)
        if (left.substring(0, sessionCharacters) != right.substring(0, sessionCharacters)) return false
        // The 22nd character carries the last two bits of the 16 bytes in its upper third.
        return value(left[sessionCharacters]) shr 4 == value(right[sessionCharacters]) shr 4
    }

    /** Compares without telling by its time how much was right. */
    fun areEqual(one: String, other: String): Boolean {
        if (one.length != other.length) return false
        var difference = 0
        for (index in one.indices) difference = difference or ((one[index] - '\u0000') xor (other[index] - '\u0000'))
        return difference == 0
    }

    /** Small letters of ASCII, whatever the language of the phone. */
    fun small(text: String): String = text.map { if (it in 'A'..'Z') it + 32 else it }.joinToString("")

    /** 1 to [limit] letters and digits of ASCII, and [others]. */
    fun isText(text: String, limit: Int, others: String): Boolean =
        text.isNotEmpty() && text.length <= limit &&
            text.all { it in 'a'..'z' || it in 'A'..'Z' || it in '0'..'9' || it in others }
}
