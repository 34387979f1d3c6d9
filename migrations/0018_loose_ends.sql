-- A message about a payment whose purchase has not come to its end brings the next look at that purchase forward.
-- Locks: notification and flow_purchasing, ACCESS EXCLUSIVE, not rewritten. Time: milliseconds. The program of before works on: it
-- looks when the pause is over, as it did.

-- Whether the permission behind it was looked up, to find a purchase that waits; each message causes one such question at most.
ALTER TABLE notification ADD COLUMN asked boolean NOT NULL DEFAULT false;

-- Whether a message asked for the next look; such a look is none of the schedule's.
ALTER TABLE flow_purchasing ADD COLUMN woken boolean NOT NULL DEFAULT false;
