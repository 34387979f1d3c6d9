package sallyport.client

/** As much of JSON as the client needs: neither Java nor the tests have org.json, which phones have. */
internal object Json {
    /** An object of texts, numbers and objects. */
    fun text(value: Any): String = when (value) {
        is Map<*, *> -> value.entries.joinToString(",", "{", "}") { quoted(it.key.toString()) + ":" + text(it.value!!) }
        is Number -> value.toString()
        else -> quoted(value.toString())
    }

    /** A text as a literal, which is also one of JavaScript and may stand in a script. */
    fun quoted(text: String): String {
        val result = StringBuilder("\"")
        for (one in text) {
            val isPlain = one in ' '..'~' && one !in "\"\\<>&'"
            if (isPlain) result.append(one) else result.append("\\u" + Integer.toHexString(0x10000 + (one - '\u0000')).substring(1))
        }
        return result.append('"').toString()
    }

    /** The object of a text, or `null` where it is none. Numbers are kept as they are written. */
    fun members(text: String): Map<String, Any?>? = try {
        Reader(text).whole()
    } catch (error: IllegalArgumentException) {
        null
    }

    private class Reader(private val text: String) {
        private var at = 0

        @Suppress("UNCHECKED_CAST")
        fun whole(): Map<String, Any?>? {
            val result = value(0)
            require(next() == null)
            return result as? Map<String, Any?>
        }

        /** The next character that is no blank; it stays there. */
        private fun next(): Char? {
            while (at < text.length && text[at] in " \t\r\n") at += 1
            return if (at < text.length) text[at] else null
        }

        private fun take(expected: Char) {
            require(next() == expected)
            at += 1
        }

        private fun value(depth: Int): Any? {
            require(depth < 32)
            return when (next()) {
                '{' -> members(depth)
                '[' -> items(depth)
                '"' -> string()
                else -> word()
            }
        }

        private fun members(depth: Int): Map<String, Any?> {
            val result = LinkedHashMap<String, Any?>()
            list('{', '}') {
                val name = string()
                take(':')
                require(name !in result)
                result[name] = value(depth + 1)
            }
            return result
        }

        private fun items(depth: Int): List<Any?> {
            val result = ArrayList<Any?>()
            list('[', ']') { result.add(value(depth + 1)) }
            return result
        }

        private fun list(first: Char, last: Char, item: () -> Unit) {
            take(first)
            if (next() != last) {
                item()
                while (next() == ',') {
                    at += 1
                    item()
                }
            }
            take(last)
        }

        private fun string(): String {
            take('"')
            val result = StringBuilder()
            while (true) {
                require(at < text.length && text[at] >= ' ')
                val one = text[at++]
                if (one == '"') return result.toString()
                result.append(if (one == '\\') escaped() else one)
            }
        }

        private fun escaped(): Char {
            require(at < text.length)
            val one = text[at++]
            if (one == 'u') {
                require(at + 4 <= text.length && text.substring(at, at + 4).all { it in "0123456789abcdefABCDEF" })
                at += 4
                return '\u0000' + text.substring(at - 4, at).toInt(16)
            }
            val place = "\"\\/bfnrt".indexOf(one)
            require(place >= 0)
            return "\"\\/\b\u000c\n\r\t"[place]
        }

        private fun word(): Any? {
            val start = at
            while (at < text.length && (text[at] in 'a'..'z' || text[at] in '0'..'9' || text[at] in "+-.E")) at += 1
            return when (val word = text.substring(start, at)) {
                "true" -> true
                "false" -> false
                "null" -> null
                else -> {
                    // Java also takes `01`, `1f` and `0x1p3`.
                    require(number.matches(word))
                    Written(word)
                }
            }
        }
    }

    private val number = Regex("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")

    /** A number as it is written. */
    class Written(val text: String)
}
