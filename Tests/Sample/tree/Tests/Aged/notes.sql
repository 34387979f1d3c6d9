INSERT INTO shop_note (note_id, board, text) SELECT a.webview_session_id, a.webview_session_id, 'Tea is ready' FROM aged AS a;
-- allowance note_count tables=note_count: the counts of all boards
-- allowance note_export partitions=200: a person's notes are of any age
-- allowance note_erase partitions=200: a person's notes are of any age
-- values note_write: '$NEW', '$SESSION', 'word', '$NEW', 'mark', sha256('f'), '{}'
