-- Corrects earlier charges, each check by itself, with signed costs.
--
-- KEYS  one state per check; with an id one more, which remembers that this change was made
-- ARGV  id, keptUntilMs, notAfterMs ('' for none of these); 1 if the units that come back are unspent; 1 if the charge ends by itself;
--       number of checks; then limit, cost and the charge's time ('' for none) per check; the checks of a limit's parts come right before
--       that of the limit. The last is the time of a clock that was passed, see clock.lua.
-- Reply now; APPLIED, REPEATED, EXPIRED, OUT_OF_BOUNDS, GIVEN_BACK or UNKNOWN_FORM; and, except for OUT_OF_BOUNDS and
--         UNKNOWN_FORM, per check its verdict after the change, about a cost of 1. It is sent as reply.lua packs it.
--
-- How long a change is remembered is computed by hand, as changeKeptMs of core/src/stores/operation-record.ts does: it is no algorithm's arithmetic.

local DAY_MS = 86400000

local id, keptUntilMs, notAfterMs, isUnspent = ARGV[1], tonumber(ARGV[2]) or 0, tonumber(ARGV[3]), ARGV[4] == '1'
if id == '' then id = nil end

local checks, isOutside = checksAt(7, tonumber(ARGV[6]), limits, nowMs)
if isOutside then return packed({ nowMs, OUT_OF_BOUNDS }, 2) end
local madeKey, result = KEYS[#checks + 1], nil
if hasUnknownForm(texts, 0, #checks) or madeKey and isUnknownRecord(texts[#checks + 1]) then return packed({ nowMs, UNKNOWN_FORM }, 2) end
if notAfterMs and nowMs > notAfterMs then
  result = EXPIRED
elseif madeKey then
  local made = recall(texts[#checks + 1], nowMs)
  result = made == GIVEN_BACK and GIVEN_BACK or made and REPEATED or nil
end

local function correct(self, cost, atMs)
  local limit = self.limit
  local kernel = limit.kernel
  if cost >= 0 then
    if cost == 0 or kernel.holds then return false end
    kernel.spend(self.state, limit, cost, nowMs)
    return true
  end
  -- A bucket that never refills may have been forgotten since.
  local isTooLate = atMs and limit.keepForMs and nowMs - atMs >= limit.keepForMs
  if self.free >= limit.quota or isTooLate then return false end
  return kernel.refund(self.state, limit, { units = -cost, atMs = atMs, id = id, unspent = isUnspent }, nowMs)
end

local isMade, isApplied, madeMs, toWrite = result == nil, false, 0, {}
local reply, length = { nowMs, EXPIRED }, 2
local inHand = { limitStates = {}, admitted = {}, delays = {}, overQuotas = {} }
for i, check in ipairs(checks) do
  local limit = check.limit
  local kernel, self = limit.kernel, limitStateOf(limit, texts[i], nowMs)
  if isMade then
    -- Also measured before the change: a change that gives everything back leaves no state, but must not be made again.
    madeMs = max(madeMs, keptMs(self, nowMs))
    local isChanged = correct(self, check.cost, tonumber(check.mark))
    if isChanged then self.free, isApplied = kernel.available(self.state, limit, nowMs), true end
    madeMs = max(madeMs, keptMs(self, nowMs))
    toWrite[i] = isChanged or self.isCorrected
  end
  check.cost = 1
  inHand.limitStates[i] = self
end

-- What a peek at one unit of each would return.
for i, self in ipairs(inHand.limitStates) do
  local limit, guarantee = self.limit, nil
  if limit.lend then
    guarantee = guarantees(nowMs)
    guarantee.keepFree(inHand, checks[i])
  end
  local delayMs, isAdmitted, overQuota = limit.kernel.delayMs, admits(self, 1, nil, nowMs)
  if guarantee then isAdmitted, overQuota = guarantee.grant(inHand, checks[i], self, isAdmitted, 1, nil) end
  inHand.admitted[i], inHand.overQuotas[i] = isAdmitted, overQuota
  inHand.delays[i] = isAdmitted and delayMs and delayMs(self.state, limit, nowMs) or 0
end
for i, self in ipairs(inHand.limitStates) do
  local remainingOfParts, retryOfPartsMs
  if self.limit.lend then remainingOfParts, retryOfPartsMs = guarantees(nowMs).remainingAndRetry(inHand, checks[i], self, checks) end
  length = addVerdict(reply, length, self, inHand.admitted[i], 1, inHand.delays[i], inHand.overQuotas[i], nowMs, remainingOfParts, retryOfPartsMs)
end

for i, self in ipairs(inHand.limitStates) do
  local failure = toWrite[i] and write(KEYS[i], self, nowMs, leastTtlMs)
  -- A full server refuses the first write that needs memory, and none after a write that it has made. So nothing was written before, and
  -- nothing may be written after: the change is made as a whole, or not at all.
  if failure then error(failure) end
end
-- Nobody else corrects what is given back unspent. At notAfterMs and keptUntilMs themselves, a change is not too late yet.
if isUnspent and notAfterMs then madeMs = min(madeMs, notAfterMs + 1 - nowMs) end
madeMs = max(min(madeMs, DAY_MS), keptUntilMs + 1 - nowMs)
if isMade and madeKey and madeMs > 0 then remember(madeKey, madeMs, nowMs, leastTtlMs, ARGV[5] == '1' and GIVEN_BACK or true) end
reply[2] = result or isApplied and APPLIED or EXPIRED
return packed(reply, length)
