-- Corrects earlier charges, each check for itself, with signed costs.
--
-- KEYS  one state per check; with an id one more, which remembers that this change was made
-- ARGV  1 now ('' for the server's time)   2 the charge's time (-1 for none)   3 id ('' for none)
--       4 notAfterMs (-1 for none)   5 least TTL in ms   6 number of checks   then 18 fields per check
-- Reply 1 applied, 2 repeated, 3 expired, 4 outside the edges

local DAY_MS = 86400000

local nowMs = timeOfCall(ARGV[1])
local atMs, id, notAfterMs, leastTtlMs, count = numberAt(2), ARGV[3], numberAt(4), numberAt(5), numberAt(6)
if notAfterMs >= 0 and nowMs > notAfterMs then return 3 end
if atMs < 0 then atMs = nil end
if id == '' then id = nil end

local madeKey = KEYS[count + 1]
if madeKey and recall(madeKey, nowMs) then return 2 end

local checks = {}
for i = 1, count do
  checks[i] = checkAt(7 + (i - 1) * FIELDS, nowMs)
  if not checks[i].isInside then return 4 end
end

local isApplied = false
local keptMs = 0
for i, check in ipairs(checks) do
  local self = standing.open(KEYS[i], check.limit, nowMs, check.interval)
  -- Of before, too: what gives everything back leaves nothing to keep, but must not be made again.
  keptMs = max(keptMs, standing.keptMs(self))
  local isChanged = standing.correct(self, check.cost, atMs, id)
  if isChanged or self.isMended then standing.write(self, leastTtlMs) end
  if isChanged then isApplied = true end
  keptMs = max(keptMs, standing.keptMs(self))
end

if madeKey and keptMs > 0 then remember(madeKey, true, min(keptMs, DAY_MS), nowMs, leastTtlMs) end
return isApplied and 1 or 3
