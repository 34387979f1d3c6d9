package sallyport.client.tests

import sallyport.client.CheckoutException
import sallyport.client.CheckoutRecord
import sallyport.client.ReturnLink
import sallyport.client.ReturnLinkException
import java.util.Random

private val record = """{"ticket":"$old","startedAt":"1790000000000","phase":"RECEIVED","returnTicket":"$fresh","accessToken":"sealed","orderReferenceId":"S03-1"}"""
private val records = listOf(record, """{"ticket":"$old", "startedAt":"1", "phase":"IN_TAB", "x":[1, -0.5e+10, true, null, {"\u00e9":"\u3042\\\/\n"}]}""")
private val words = listOf("{", "}", "[", "]", ",", ":", "\"", "\\u0061", "\\", "01", "1f", "0x1p3", "1.", ".5", "+1", "1e5", "-", "true", "null", "\"x\":", " ", "\u0001", "\u0300", "\ud800")
private val linkWords = listOf("&", "=", "?", "#", "@", ":", "/", "%", "%2E", "%7C", "|", ":443", ":0443", "\\", "[", "secureWebviewSessionId=", "accessToken=", ".", "HTTPS", " ", "\u0000", "\u3042")

/** A text with one to four pieces of it changed: dropped, doubled, moved, or replaced by a word. */
private fun Random.mutated(text: String, words: List<String>): String {
    var result = text
    repeat(1 + nextInt(4)) {
        val from = nextInt(result.length + 1)
        val to = minOf(result.length, from + nextInt(8))
        val piece = result.substring(from, to)
        val other = nextInt(result.length + 1)
        result = when (nextInt(5)) {
            0 -> result.removeRange(from, to)
            1 -> result.substring(0, to) + piece + result.substring(to)
            2 -> result.substring(0, other) + piece + result.substring(other)
            3 -> result.substring(0, from) + words[nextInt(words.size)] + result.substring(to)
            else -> result.substring(0, from) + words[nextInt(words.size)] + result.substring(from)
        }
    }
    return result
}

private val string = Regex("\"([^\"\\\\\\x00-\\x1f]|\\\\([\"\\\\/bfnrt]|u[0-9a-fA-F]{4}))*+\"")
private val scalar = Regex("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?|true|false|null")
private val structure = Regex("\\[([SV](,[SV])*)?]|\\{(S:[SV](,S:[SV])*)?}")

/** A second reader of JSON: strings and scalars are replaced by letters, and lists and objects of letters by letters, until one is left. */
private fun isJson(text: String): Boolean {
    if ('S' in text.replace(string, "") || 'V' in text.replace(string, "")) return false
    var rest = text.replace(string, "S").replace(scalar, "V").replace(Regex("[ \t\r\n]"), "")
    while (true) {
        val shorter = rest.replace(structure, "V")
        if (shorter == rest) return rest == "V" || rest == "S"
        rest = shorter
    }
}

private val written = Regex("(?i:https://link\\.example\\.com)(:443)?/index\\.html\\?[!-~&&[^#\\\\]]*")

/** Mutations of records and links, by a seed: each is taken or refused in the documented way, and what is taken has its form. */
internal fun mutations() {
    case("record: its numbers are those of JSON") {
        for (number in listOf("01", "1f", "1d", "+1", "1.", ".5", "0x1p3", "-", "1e", "--1", "00")) {
            val text = record.replace("\"phase\"", "\"x\":$number,\"phase\"")
            val said = try { CheckoutRecord.parse(text).toString() } catch (error: CheckoutException) { error.message }
            expect("$number $said", "$number the record of the checkout is damaged")
        }
    }
    val seed = System.getenv("SEED")?.toLong() ?: System.nanoTime()
    case("record: 40000 mutations, SEED=$seed") {
        val random = Random(seed)
        var taken = 0
        repeat(40000) {
            val text = random.mutated(records[random.nextInt(records.size)], words)
            val found = try { CheckoutRecord.parse(text) } catch (error: CheckoutException) { null }
            if (found != null) {
                taken += 1
                if (!isJson(text)) throw AssertionError("taken, and no JSON: $text")
                expect(CheckoutRecord.parse(found.serialize()).serialize(), found.serialize())
            }
        }
        if (taken < 100) throw AssertionError("only $taken were taken")
    }
    case("link: 40000 mutations, SEED=$seed") {
        val random = Random(seed)
        var taken = 0
        repeat(40000) {
            val text = random.mutated(front + query(), linkWords)
            val found = try { ReturnLink.parse(text, configuration) } catch (refusal: ReturnLinkException) { null }
            if (found != null) {
                taken += 1
                if (!written.matches(text)) throw AssertionError("taken, and of another form: $text")
                val items = text.substringAfter('?').split('&').filter { it.startsWith("secureWebviewSessionId=") }
                expect(items, listOf("secureWebviewSessionId=" + found.returnTicket))
            }
        }
        if (taken < 100) throw AssertionError("only $taken were taken")
    }
}
