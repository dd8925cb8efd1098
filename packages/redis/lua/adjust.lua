-- Corrects earlier charges, each check for itself, with signed costs.
--
-- KEYS  one state per check; with an id one more, which remembers that this change was made
-- ARGV  now ('' for the server's time), id, notAfterMs ('' for none), number of checks; then limit, cost and the charge's time ('' for none)
--       per check
-- Reply 1 applied, 2 repeated, 3 expired, 4 outside the edges

local APPLIED, REPEATED, EXPIRED, OUTSIDE_EDGES = 1, 2, 3, 4

local DAY_MS = 86400000

local id, notAfterMs = ARGV[2], tonumber(ARGV[3])
if notAfterMs and nowMs > notAfterMs then return EXPIRED end
if id == '' then id = nil end

local checks, isOutside = checksAt(5, tonumber(ARGV[4]), true, limits, nowMs)
local madeKey = KEYS[#checks + 1]
if madeKey and recall(texts[#checks + 1], nowMs) then return REPEATED end
if isOutside then return OUTSIDE_EDGES end

local function correct(self, cost, atMs)
  local limit = self.limit
  local kernel = limit.kernel
  if cost >= 0 then
    if cost == 0 or kernel.holds then return false end
    kernel.spend(self.state, limit, cost, nowMs)
    return true
  end
  if self.free >= limit.quota then return false end
  return kernel.giveBack(self.state, limit, -cost, nowMs, atMs, id)
end

local isApplied, madeMs, failure = false, 0, nil
for i, check in ipairs(checks) do
  local limit = check.limit
  local self = standingOf(limit, texts[i], nowMs)
  -- Of before, too: what gives everything back leaves nothing to keep, but must not be made again.
  madeMs = max(madeMs, keptMs(self, nowMs))
  local isChanged = correct(self, check.cost, tonumber(check.mark))
  if isChanged then self.free, isApplied = limit.kernel.free(self.state, limit, nowMs), true end
  madeMs = max(madeMs, keptMs(self, nowMs))
  if isChanged or self.isMended then failure = write(KEYS[i], self, nowMs, leastTtlMs) or failure end
end

if failure then error(failure) end
if madeKey and madeMs > 0 then remember(madeKey, true, min(madeMs, DAY_MS), nowMs, leastTtlMs) end
return isApplied and APPLIED or EXPIRED
