-- version: 1

-- Lifts the tags over those that phones may have: over all of the passes in another cluster than before, where the numbers of
-- transactions begin anew, and over a number that an operator gives behind the restore of an old backup. Gives the tag of now.
-- Nobody has taken a tag under the old base when the new one is seen: they hold the table until their commit.
CREATE OR REPLACE FUNCTION wallet_tag_raise(floor bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    here bigint := (SELECT c.system_identifier FROM pg_control_system() AS c);
    least bigint := floor;
    tag wallet_tag;
BEGIN
    SELECT * INTO STRICT tag FROM wallet_tag;
    IF tag.cluster = here AND wallet_tag_at(pg_snapshot_xmax(pg_current_snapshot())::text::bigint) > floor THEN
        RETURN wallet_tag_at(pg_snapshot_xmax(pg_current_snapshot())::text::bigint);
    END IF;
    LOCK TABLE wallet_tag IN ACCESS EXCLUSIVE MODE;
    SELECT * INTO STRICT tag FROM wallet_tag;
    IF tag.cluster <> here THEN
        least := greatest(floor, (SELECT max(p.tag) FROM wallet_pass AS p));
    END IF;
    UPDATE wallet_tag SET cluster = here,
        base = greatest(base, least + 1 + base - wallet_tag_at(pg_snapshot_xmin(pg_current_snapshot())::text::bigint));
    RETURN wallet_tag_new();
END $$;
