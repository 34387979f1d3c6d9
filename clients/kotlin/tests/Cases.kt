package sallyport.client.tests

import sallyport.client.ReturnLinkException
import kotlin.system.exitProcess

private var passed = 0
private var failed = 0

/** One named case, on a line of its own. */
internal fun case(name: String, body: () -> Unit) {
    try {
        body()
        passed += 1
        println("ok      $name")
    } catch (error: Throwable) {
        failed += 1
        println("FAILED  $name: $error at ${error.stackTrace.firstOrNull { it.className.startsWith("sallyport") && "expect" !in it.methodName }}")
    }
}

internal fun expect(actual: Any?, expected: Any?) {
    if (actual != expected) throw AssertionError("expected $expected, but: $actual")
}

/** The name of the reason for which a link is refused. */
internal fun refusal(body: () -> Unit): String = try {
    body()
    "taken"
} catch (refusal: ReturnLinkException) {
    refusal.reason.name
}

internal fun finish() {
    println("$passed passed, $failed failed")
    exitProcess(if (failed == 0 && passed > 0) 0 else 1)
}
