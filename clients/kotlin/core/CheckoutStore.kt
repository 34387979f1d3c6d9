package sallyport.client

import java.io.File
import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.Files
import java.nio.file.StandardCopyOption
import java.nio.file.StandardOpenOption
import java.nio.file.attribute.PosixFilePermissions

/** What an app remembers of its checkout, so that it may die while the buyer is in the tab. */
class CheckoutRecord internal constructor(
    internal val ticket: String,
    internal val startedAt: Long,
    internal val phase: Phase = Phase.IN_TAB,
    internal val received: Received? = null
) {
    internal enum class Phase {
        /** Waits for a return link. */
        IN_TAB,

        /** A return link was received, and its purchase may be under way. */
        RECEIVED,

        /** Nothing further comes of it; kept so that its link is known again. */
        OVER
    }

    /** The parts of the link that was received last. */
    internal class Received(val returnTicket: String, val accessToken: String, val orderReferenceId: String)

    internal fun with(phase: Phase, received: Received? = this.received) = CheckoutRecord(ticket, startedAt, phase, received)

    internal fun isReceived(link: ReturnLink): Boolean =
        received != null && Token.areEqual(received.returnTicket, link.returnTicket) && received.orderReferenceId == link.orderReferenceId

    /** The link that was received, or `null` where there is none of the right form. */
    internal fun link(configuration: CheckoutConfiguration): ReturnLink? {
        val parts = received ?: return null
        val query = "secureWebviewSessionId=${parts.returnTicket}&old_secureWebviewSessionId=$ticket" +
            "&accessToken=${parts.accessToken}&orderReferenceId=${parts.orderReferenceId}"
        return try {
            ReturnLink.parse(configuration.linkOrigin + ReturnLink.path + "?" + query, configuration)
        } catch (refusal: ReturnLinkException) {
            null
        }
    }

    /** For a store: all of it, with its secrets. */
    fun serialize(): String {
        val members = linkedMapOf("ticket" to ticket, "startedAt" to startedAt.toString(), "phase" to phase.name)
        if (received != null) {
            members["returnTicket"] = received.returnTicket
            members["accessToken"] = received.accessToken
            members["orderReferenceId"] = received.orderReferenceId
        }
        return Json.text(members)
    }

    /** Without what is secret. */
    override fun toString(): String = "a checkout, ${phase.name}"

    companion object {
        /**
         * What [serialize] has written.
         *
         * @throws CheckoutException where it is something else.
         */
        @JvmStatic
        fun parse(text: String): CheckoutRecord {
            val members = Json.members(text) ?: throw CheckoutException(damaged)
            fun member(name: String) = members[name] as? String
            val phase = Phase.values().firstOrNull { it.name == member("phase") }
            val startedAt = member("startedAt")?.toLongOrNull()
            val ticket = member("ticket")
            if (phase == null || startedAt == null || ticket == null || LaunchTicket.parse(ticket) == null) throw CheckoutException(damaged)
            val parts = listOf("returnTicket", "accessToken", "orderReferenceId").map(::member).filterNotNull()
            if (parts.size != 3 && (parts.isNotEmpty() || phase == Phase.RECEIVED)) throw CheckoutException(damaged)
            return CheckoutRecord(ticket, startedAt, phase, if (parts.size == 3) Received(parts[0], parts[1], parts[2]) else null)
        }

        internal const val damaged = "the record of the checkout is damaged"
    }
}

/** Where an app keeps its one record. On a phone: in a file that is not in backups. */
interface CheckoutStore {
    /**
     * What was saved last; `null` where there is nothing.
     *
     * @throws Exception where it cannot be read. The next [save] makes it good.
     */
    fun load(): CheckoutRecord?

    /**
     * Keeps a record in place of the last one, before it comes back.
     *
     * @throws Exception where it cannot be kept.
     */
    fun save(record: CheckoutRecord)
}

/** A store that ends with the program. */
class MemoryCheckoutStore : CheckoutStore {
    @Volatile
    private var record: CheckoutRecord? = null

    override fun load(): CheckoutRecord? = record

    override fun save(record: CheckoutRecord) {
        this.record = record
    }
}

/**
 * A store in one file that only its user may read.
 *
 * @param file its folder exists; on Android in `Context.noBackupFilesDir`.
 */
class FileCheckoutStore(private val file: File) : CheckoutStore {
    override fun load(): CheckoutRecord? {
        if (!file.exists()) return null
        if (file.length() > most) throw CheckoutException(CheckoutRecord.damaged)
        return CheckoutRecord.parse(file.readText())
    }

    override fun save(record: CheckoutRecord) {
        val fresh = File(file.path + ".new").toPath()
        try {
            Files.deleteIfExists(fresh)
            Files.createFile(fresh, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))
            FileChannel.open(fresh, StandardOpenOption.WRITE).use {
                val bytes = ByteBuffer.wrap(record.serialize().toByteArray())
                while (bytes.hasRemaining()) it.write(bytes)
                it.force(true)
            }
            Files.move(fresh, file.toPath(), StandardCopyOption.ATOMIC_MOVE)
        } catch (error: IOException) {
            // The cause's text is a path, which says where to look.
            throw CheckoutException("the file of the checkout cannot be written: ${error.message}")
        }
    }

    private companion object {
        const val most = 65536L
    }
}
