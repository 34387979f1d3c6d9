-- Makes at least 10,000 orders of those in schema `early`, with ids, numbers and tokens of their own, as if the dump had been taken
-- this moment. The first copy keeps its ids; of the others every second one is up to two months old.
-- No trigger runs: polls, deliveries and events are those that the program of then made.
SET TimeZone = 'UTC';
SET session_replication_role = replica;

CREATE TABLE early.clock AS
SELECT statement_timestamp() - (SELECT max(e.at) FROM early.flow_event AS e) AS shift,
    ceil(10000.0 / (SELECT count(*) FROM early.merchant_order))::integer AS copies;

CREATE FUNCTION early.moment(id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
    SELECT to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;

-- How far a copy is moved in time.
CREATE FUNCTION early.move(n integer) RETURNS interval LANGUAGE sql STABLE AS $$
    SELECT c.shift - CASE n % 2 WHEN 1 THEN n * interval '100 minutes' ELSE n * interval '5 seconds' END FROM early.clock AS c
$$;

CREATE FUNCTION early.moved(id uuid, n integer) RETURNS uuid LANGUAGE sql STABLE AS $$
    SELECT CASE n WHEN 0 THEN id ELSE (
        left(flow_floor(early.moment(id) + early.move(n))::text, 14) || substr(id::text, 15, 10)
        || lpad(to_hex(('x' || right(id::text, 12))::bit(48)::bigint # n::bigint), 12, '0'))::uuid END
$$;

-- The number that buyers and operators see, from the last fifty bits of the id.
CREATE FUNCTION early.number(id uuid) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(
        substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((b.bits >> (5 * i)) & 31)::integer + 1, 1)
        || CASE i WHEN 5 THEN '-' ELSE '' END, '' ORDER BY i DESC)
    FROM (SELECT ('x' || right(replace(id::text, '-', ''), 13))::bit(52)::bigint AS bits) AS b, generate_series(0, 9) AS i
$$;

-- What is a name of a flow or a secret of it, and so has to differ between copies.
CREATE TABLE early.word AS
SELECT DISTINCT w.flow_id, w.kind, w.word FROM (
    SELECT f.flow_id, 'moved' AS kind, f.flow_id::text AS word FROM early.flow AS f
    UNION ALL SELECT p.flow_id, 'moved', p.operation_id::text FROM early.payment_operation AS p
    UNION ALL SELECT p.flow_id, 'key', p.idem_key FROM early.payment_operation AS p
    UNION ALL SELECT f.flow_id, 'uuid', f.order_ref FROM early.flow AS f
    UNION ALL SELECT v.flow_id, 'uuid', v.event_id::text FROM early.merchant_event AS v
    UNION ALL SELECT m.flow_id, 'uuid', m.message_id FROM early.notification AS m
    UNION ALL SELECT p.flow_id, 'permission', p.object_id FROM early.payment_object AS p WHERE p.kind = 'permission'
    UNION ALL SELECT o.flow_id, 'reference', o.reference FROM early.merchant_order AS o WHERE o.reference <> early.number(o.flow_id)
    UNION ALL SELECT f.flow_id, 'number', early.number(f.flow_id) FROM early.flow AS f
    UNION ALL SELECT f.flow_id, 'hash', encode(h.hash, 'hex')
    FROM early.flow AS f, unnest(ARRAY[f.a_hash, f.b_hash, f.b_prev_hash, f.c_hash, f.app_hash, f.challenge]) AS h (hash)
) AS w WHERE w.word IS NOT NULL;

CREATE FUNCTION early.copied(kind text, word text, id uuid, n integer) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE CASE n WHEN 0 THEN 'same' ELSE kind END
        WHEN 'same'       THEN word
        WHEN 'moved'      THEN early.moved(word::uuid, n)::text
        WHEN 'key'        THEN md5(word || n)
        WHEN 'uuid'       THEN md5(word || n)::uuid::text
        WHEN 'permission' THEN left(word, 4) || lpad(((substr(word, 5, 7)::bigint + n) % 10000000)::text, 7, '0') || substr(word, 12)
        WHEN 'reference'  THEN word || '-' || n
        WHEN 'number'     THEN early.number(early.moved(id, n))
        WHEN 'hash'       THEN encode(sha256(convert_to(word || n, 'UTF8')), 'hex')
    END
$$;

CREATE TABLE early.copy AS
SELECT n, c.flow_id, c.move, early.moved(c.flow_id, n) AS now_id,
    (SELECT array_agg(w.word) FROM early.word AS w WHERE w.flow_id = c.flow_id) AS words,
    (SELECT array_agg(early.copied(w.kind, w.word, c.flow_id, n)) FROM early.word AS w WHERE w.flow_id = c.flow_id) AS copies
FROM (
    SELECT m.n, m.move, f.flow_id
    FROM (SELECT n, early.move(n) AS move FROM generate_series(0, (SELECT copies - 1 FROM early.clock)) AS n) AS m, early.flow AS f
) AS c;

-- A row as text with the names of a copy; octets that hold a number have it in hex.
CREATE FUNCTION early.renamed(line text, words text[], copies text[]) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    FOR i IN 1 .. cardinality(words) LOOP
        line := replace(line, words[i], copies[i]);
        IF length(words[i]) = 11 THEN
            line := replace(line, encode(words[i]::bytea, 'hex'), encode(copies[i]::bytea, 'hex'));
        END IF;
    END LOOP;
    RETURN line;
END $$;

-- The partitions of then and since.
DO $$
DECLARE
    since timestamptz;
    parent text;
BEGIN
    FOR since IN SELECT DISTINCT date_trunc('month', early.moment(c.now_id)) FROM early.copy AS c LOOP
        FOREACH parent IN ARRAY ARRAY['flow', 'flow_event'] LOOP
            PERFORM flow_make_partition(parent, 'YYYYMM', since, since + interval '1 month');
        END LOOP;
        FOREACH parent IN ARRAY ARRAY['merchant_order', 'payment_operation', 'merchant_event'] LOOP
            PERFORM merchant_make_partition(parent, since, since + interval '1 month');
        END LOOP;
    END LOOP;
    FOR since IN SELECT DISTINCT date_trunc('day', early.moment(c.now_id)) FROM early.copy AS c WHERE c.n % 2 = 0 LOOP
        PERFORM flow_make_partition('flow_private', 'YYYYMMDD', since, since + interval '1 day');
    END LOOP;
END $$;

-- All columns, times moved.
CREATE FUNCTION early.columns(original text, source text, move text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT string_agg(
        source || quote_ident(a.attname) || CASE a.atttypid WHEN 'timestamptz'::regtype THEN move ELSE '' END, ', ' ORDER BY a.attnum)
    FROM pg_attribute AS a WHERE a.attrelid = ('early.' || original)::regclass AND a.attnum > 0
$$;

DO $$
DECLARE
    original text;
BEGIN
    FOREACH original IN ARRAY ARRAY[
        'flow', 'flow_event', 'flow_private', 'flow_purchasing', 'merchant_order', 'merchant_event', 'payment_object',
        'payment_operation', 'payment_poll', 'webhook_lane', 'notification', 'api_idempotency']
    LOOP
        EXECUTE format(
            'INSERT INTO public.%1$I (%2$s) SELECT %3$s FROM early.%1$I AS e JOIN early.copy AS c ON c.flow_id = e.flow_id
             CROSS JOIN LATERAL json_populate_record(
                 NULL::early.%1$I, early.renamed(row_to_json(e)::text, c.words, c.copies)::json) AS r %4$s',
            original, early.columns(original, '', ''), early.columns(original, 'r.', ' + c.move'),
            CASE original WHEN 'flow_private' THEN 'WHERE c.n % 2 = 0' ELSE '' END);
    END LOOP;
    -- What belongs to no order is there once.
    FOREACH original IN ARRAY ARRAY['api_key', 'webhook_endpoint', 'reconciliation_run'] LOOP
        EXECUTE format(
            'INSERT INTO public.%1$I (%2$s) SELECT %3$s FROM early.%1$I AS e, early.clock AS c',
            original, early.columns(original, '', ''), early.columns(original, 'e.', ' + c.shift'));
    END LOOP;
END $$;

INSERT INTO payment_operation_open (operation_id, target)
SELECT p.operation_id, p.target FROM payment_operation AS p WHERE p.state IN ('open', 'stuck');

-- In early.copy names without the copy of the words, which nobody asks for again.
ALTER TABLE early.copy DROP COLUMN words, DROP COLUMN copies;
SET session_replication_role = origin;
RESET TimeZone;
ANALYZE;
