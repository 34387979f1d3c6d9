// A declaration to compile against, without a platform behind it.
package android.view;

public class ContextThemeWrapper extends android.content.ContextWrapper {
    public ContextThemeWrapper() { super(null); }
}
