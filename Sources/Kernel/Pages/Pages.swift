// Pages: how pages are made: markup, the frame around them, the shop's look, languages, static files. No page is here.
//
// A feature writes its pages as `Markup` with gaps, once per language and when the program starts: `Frame.document` puts the
// head, the shop's name and the footer around them, and gives a `Template`. Rendering copies the constants and fills the gaps,
// so a page costs a few copies and no text is joined.
//
// Escaping goes by type: `HTML` and `Markup` can only be written as literals in the sources and are inserted raw; a `String` is
// always escaped; an address is a `LinkTarget`, which cannot hold a script; data for scripts goes through `JSONBlock`.
