// A stand-in for the platform, as far as the sample app needs one.
package android.view;

public class View {
    public static final int VISIBLE = 0;
    public static final int GONE = 8;
    public OnClickListener listener;
    private int visibility = VISIBLE;
    public View(android.content.Context context) { phone.Phone.views.add(this); }
    public boolean post(Runnable action) { return phone.Phone.queue.add(action); }
    public void setVisibility(int visibility) { this.visibility = visibility; }
    public int getVisibility() { return visibility; }
    public void setOnClickListener(OnClickListener l) { listener = l; }

    public interface OnClickListener {
        void onClick(View v);
    }
}
