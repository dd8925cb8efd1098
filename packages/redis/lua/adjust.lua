-- Corrects earlier charges, each check for itself, with signed costs.
--
-- KEYS  one state per check; with an id one more, which remembers that this change was made
-- ARGV  now ('' for the server's time), least TTL in ms, the charge's time, id, notAfterMs ('' for none),
--         number of checks, then limit, cost and shadow (1 or 0) per check
-- Reply 1 applied, 2 repeated, 3 expired, 4 outside the edges

local APPLIED, REPEATED, EXPIRED, OUTSIDE_EDGES = 1, 2, 3, 4

local DAY_MS = 86400000

local atMs, id, notAfterMs = nextNumber(), nextText(), nextNumber()
if notAfterMs and nowMs > notAfterMs then return EXPIRED end
if id == '' then id = nil end

local checks = nextChecks(nextNumber())
local madeKey = KEYS[#checks + 1]
if madeKey and recall(madeKey) then return REPEATED end
if isOutside(checks) then return OUTSIDE_EDGES end

local function correct(self, cost)
  local limit = self.limit
  local kernel = limit.kernel
  if cost >= 0 then
    if cost == 0 or kernel.holds then return false end
    kernel.spend(self.state, limit, cost, nowMs)
    return true
  end
  if kernel.free(self.state, limit, nowMs) >= limit.quota then return false end
  return kernel.giveBack(self.state, limit, -cost, nowMs, atMs, id)
end

local isApplied = false
local keptMs = 0
for i, check in ipairs(checks) do
  local self = standing.open(KEYS[i], check.limit)
  -- Of before, too: what gives everything back leaves nothing to keep, but must not be made again.
  keptMs = max(keptMs, standing.keptMs(self))
  local isChanged = correct(self, check.cost)
  if isChanged or self.isMended then standing.change(KEYS[i], self) end
  if isChanged then isApplied = true end
  keptMs = max(keptMs, standing.keptMs(self))
end

local failures = standing.writeAll()
if failures then error(failures[next(failures)]) end
if madeKey and keptMs > 0 then remember(madeKey, true, min(keptMs, DAY_MS)) end
return isApplied and APPLIED or EXPIRED
