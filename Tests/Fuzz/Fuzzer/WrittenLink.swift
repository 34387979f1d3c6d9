import AppLinks

/// Whether a text is a return link as the server writes it; apart, as the app's type has the same name.
func isWrittenLink(_ text: String, base: String) -> Bool { ReturnLink.isWritten(text, base: base) }
