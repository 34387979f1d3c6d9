// A declaration to compile against, without a platform behind it.
package android.widget;

@Deprecated
public class AbsoluteLayout extends android.view.ViewGroup {
    public AbsoluteLayout(android.content.Context context) { super(context); }
}
