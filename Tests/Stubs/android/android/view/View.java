// A declaration to compile against, without a platform behind it.
package android.view;

public class View {
    public View(android.content.Context context) {}
    public boolean post(Runnable action) { return false; }
}
