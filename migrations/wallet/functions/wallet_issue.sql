-- version: 1

-- Makes a member of whoever the shop knows by a name of its own, and their pass of a type, unless they are there. Two at the same time
-- make one pass: the second one gets the serial number of the first.
-- created, exists, or ended for a membership that is over; account and link are those of the member, whose names are given.
CREATE OR REPLACE FUNCTION wallet_issue(
    external text, called text, sum bigint, type text, number text, design text, fields jsonb, secret integer,
    OUT outcome text, OUT account uuid, OUT serial text, OUT link_secret integer, OUT link_number integer
)
LANGUAGE plpgsql AS $$
DECLARE
    member wallet_member;
BEGIN
    account := account_open(external, id_new(), statement_timestamp());
    INSERT INTO wallet_member (account_id, created_at, link_at, points, link_secret, link_number, name)
    VALUES (account, statement_timestamp(), statement_timestamp(), sum, secret, 1, called)
    ON CONFLICT DO NOTHING;
    -- Whoever is first makes the pass, and the others wait here.
    SELECT * INTO STRICT member FROM wallet_member AS m WHERE m.account_id = account FOR NO KEY UPDATE;
    SELECT p.serial INTO serial FROM wallet_pass AS p WHERE p.account_id = account AND p.pass_type = type;
    link_secret := member.link_secret;
    link_number := member.link_number;
    outcome := CASE WHEN member.ended_at IS NOT NULL THEN 'ended' WHEN serial IS NOT NULL THEN 'exists' ELSE 'created' END;
    IF outcome <> 'created' THEN
        RETURN;
    END IF;
    serial := number;
    fields := fields || jsonb_build_object('name', coalesce(member.name, ''), 'points', member.points, 'memberId', external);
    INSERT INTO wallet_pass (
        account_id, created_at, modified_at, tag, version, devices, token_key, is_final, pass_type, serial, template, state,
        content, content_digest)
    VALUES (
        account, statement_timestamp(), date_trunc('second', statement_timestamp()), wallet_tag_new(), 1, 0, secret, false, type,
        number, design, 'issued', fields, wallet_digest(design, fields, false));
    PERFORM wallet_note(type, number, 'created', NULL, NULL);
END $$;
