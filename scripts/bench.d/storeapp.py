"""The app whose purchases are made, and what it sells; needs nothing that is not in every Python."""

BUNDLE, PRODUCT = "com.example.sallyport", "com.example.sallyport.ticket.1"
