// Pages: a view value goes in, the bytes of an HTML document come out.
//
// Owns every tag, every text in both languages, and the content security policies, since those must match the markup.
// Refuses I/O, time and decisions: no page asks a store, reads a clock, or chooses more than whether a part is shown.
//
// Start with `PageRenderer`: made once with the shop's facts (`PageSite`) and the addresses of the static files
// (`StaticAssets`), it compiles each page of each language into a `Template`: constant bytes with gaps. Rendering copies the
// constants and fills the gaps, so a page costs a few copies and no text is joined.
//
// Escaping goes by type: `HTML` can only be written as a literal in the sources and is inserted raw; a `String` is always
// escaped; an address is a `LinkTarget`, which cannot hold a script; data for scripts goes through `JSONBlock`.
