-- Decides about any mix of limits in one step: reads every state, asks every kernel, and writes only what was decided.
--
-- KEYS  one state per check; with holdMs one more, for the reply
-- ARGV  1 now ('' for the server's time)   2 'spend', 'look' or 'renew'   3 id ('' for none)   4 holdMs (0 for none)
--       5 atLeast (-1 for none)   6 notAfterMs (-1 for none)   7 least TTL in ms   8 number of checks   then 18 fields per check
-- Reply now, outcome (0 refused, 1 allowed, 2 outside the edges, 3 too late), taken (-1 for none),
--       then per check: allowed, remaining, resetAfterMs, retryAfterMs, delayMs (-1 is never)

local nowMs = timeOfCall(ARGV[1])
local mode, id, holdMs = ARGV[2], ARGV[3], numberAt(4)
local atLeast, notAfterMs, leastTtlMs, count = numberAt(5), numberAt(6), numberAt(7), numberAt(8)
if id == '' then id = nil end

if notAfterMs >= 0 and nowMs > notAfterMs then return { nowMs, 3, -1 } end
local heldKey = KEYS[count + 1]
if heldKey then
  local first = recall(heldKey, nowMs)
  if first then return first end
end

local checks = {}
for i = 1, count do
  checks[i] = checkAt(9 + (i - 1) * FIELDS, nowMs)
  if not checks[i].isInside then return { nowMs, 2, -1 } end
end

local isAllowed = true
local taken = -1
local largest = 0
for i, check in ipairs(checks) do
  check.standing = standing.open(KEYS[i], check.limit, nowMs, check.interval)
  check.asked = check.cost
  if atLeast >= 0 then check.asked = atLeast end
  check.isAllowed = standing.admits(check.standing, check.asked, id)
  check.delayMs = 0
  if check.isAllowed then check.delayMs = standing.delayMs(check.standing) end
  if not check.isAllowed and not check.isShadow then isAllowed = false end
  if atLeast >= 0 and not check.isShadow then
    local most = min(check.cost, standing.remaining(check.standing))
    if taken < 0 or most < taken then taken = most end
  end
  largest = max(largest, check.cost)
end
-- Where none is enforced, nothing is in the way of the largest cost.
if atLeast >= 0 and taken < 0 then taken = largest end

if mode ~= 'look' then
  for _, check in ipairs(checks) do
    local self = check.standing
    local maySpend = isAllowed or mode == 'renew'
    local isChanged
    if maySpend and check.isAllowed then
      local units = check.cost
      if taken >= 0 then units = taken end
      isChanged = standing.spend(self, units, id)
    else
      isChanged = standing.refuse(self, check.asked, not maySpend)
    end
    if isChanged then standing.write(self, leastTtlMs) end
  end
end

local reply = { nowMs, isAllowed and 1 or 0, taken }
if taken >= 0 and not isAllowed then reply[3] = 0 end
for _, check in ipairs(checks) do
  local self = check.standing
  reply[#reply + 1] = check.isAllowed and 1 or 0
  reply[#reply + 1] = standing.remaining(self)
  reply[#reply + 1] = standing.untilMs(self, self.limit.quota)
  reply[#reply + 1] = standing.untilMs(self, max(1, check.cost))
  reply[#reply + 1] = check.delayMs
end
if heldKey and mode ~= 'look' then remember(heldKey, reply, holdMs, nowMs, leastTtlMs) end
return reply
