// A declaration to compile against, without a platform behind it.
package android.widget;

public class TextView extends android.view.View {
    public TextView(android.content.Context context) { super(context); }
    public CharSequence getText() { return ""; }
    public final void setText(CharSequence text) {}
}
