// A stand-in for the platform, as far as the sample app needs one.
package phone;

import java.io.File;
import java.util.*;
import java.util.concurrent.*;

/** What the stand-ins remember; the thread of the UI is the one that calls {@link #reset}. */
public final class Phone {
    public static File folder;
    public static Thread ui;
    public static final BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
    /** What was done, in its order: `load URL`, `script TEXT`, `flush`, `tab URL`, `start INTENT`, `back`, `leave`. */
    public static final List<String> done = Collections.synchronizedList(new ArrayList<>());
    public static final List<Object> views = new ArrayList<>();
    public static boolean hasBrowser;
    public static String answer;

    public static void reset(File files) {
        folder = files;
        ui = Thread.currentThread();
        queue.clear();
        done.clear();
        views.clear();
        hasBrowser = true;
        answer = "true";
    }

    public static void run(Runnable action) {
        if (Thread.currentThread() == ui) action.run(); else queue.add(action);
    }
}
