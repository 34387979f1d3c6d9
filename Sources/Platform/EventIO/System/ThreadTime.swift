import Glibc

/// The processor time that the calling thread has taken, whatever the other threads of the machine do.
package enum ThreadTime {
    /// User and system time in nanoseconds; zero where the kernel does not say.
    package static var nanoseconds: UInt64 {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
