-- version: 1

-- How long rows are kept, never less than some days, whatever is asked for: what is in use and what an audit needs cannot be
-- dropped by whoever may call the functions below. In seconds, because months and days of an interval can be at odds.
CREATE OR REPLACE FUNCTION partition_keep(asked interval, least_days integer) RETURNS interval
LANGUAGE sql IMMUTABLE AS $$
    SELECT greatest(extract(epoch FROM asked), least_days * 86400) * interval '1 second'
$$;
