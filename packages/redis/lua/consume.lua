-- Decides any number of requests, one after another, each with any limits. All limits of a request are checked before any is spent.
--
-- KEYS  one state per check, request by request; a request whose reply is held comes alone, and the key of its reply is the last
-- ARGV  round by round; the requests of a round differ only in their keys: numeric requests as numeric-path.lua describes
--       them, and others as
--         the number of requests
--         'spend'; 'peek'; 'refuse' if another place has refused the request; 'renew'; or 'keep' to renew only what is held
--         notAfterMs, and the number of checks
--         atLeast, the id of the slots, and holdMs ('' for none of these)
--         if that id is an attempt: 'any', or 'only' if no other attempt that was admitted may be repeated; otherwise ''
--         limit, cost and shadow (1 or 0) per check; the checks of a limit's parts come right before that of the limit
--       A limit is JSON, or where it was sent before, the position of that JSON. The last is the time of a clock that was passed, see clock.lua.
-- Reply now; if an earlier request is repeated, REPEATS, the time of its decision, its attempt and the marks of its checks, each after its
--         length; then per request
--         an error as text, TOO_LATE, OUTSIDE_BOUNDS or UNKNOWN_FORM; or, for a decision, the taken units, if it has atLeast; 0 if it has no
--         checks; and its verdicts, as addVerdict writes them. -1 stands for never.
--       It is sent as reply.lua packs it.
--
-- Calls: margin
-- Runs after numeric-path.lua, and continues where that has ended. Each round is read (readAnyRound). Then its requests are decided, one after another:
-- every check is checked (judgeAll), then each is spent or refused, and its verdict is added (settleAll). At the end each changed key is
-- written once, however many requests have changed it (writeChanges), and a failure to write is put into the reply (replyWith).
-- The functions get their data as arguments, because a variable from outside makes the creation of a function expensive.

opened = opened or {}

-- Reads a round of numeric requests, as numeric-path.lua describes it: its checks, their costs, how far those of a request are from those of the request before, the number
-- of requests, and notAfterMs.
local function readNumericRound(round, limits, nowMs)
  local checks, costs = {}, {}
  local _, times, step, notAfterMs, at = readRound(round, {}, costs)
  for text in string.gmatch(string.sub(round, at), '[^\n]+') do
    local i = #checks + 1
    checks[i] = { limit = limitBy(text, limits, nowMs), cost = costs[i] }
  end
  return checks, costs, step, times, notAfterMs
end

-- The data that the requests of a round share, and where the next round begins. instead is their reply if they have no verdicts.
local function readAnyRound(position, limits, nowMs)
  local mode, times, notAfterMs, checks, costs, step, isOutside, instead, atLeast, id, holdMs, naming
  if string.byte(ARGV[position]) <= MOST_NUMERIC then
    checks, costs, step, times, notAfterMs = readNumericRound(ARGV[position], limits, nowMs)
    position = position + 1
  else
    times, mode, notAfterMs = tonumber(ARGV[position]), ARGV[position + 1], tonumber(ARGV[position + 2])
    atLeast, id, holdMs, naming = tonumber(ARGV[position + 4]), ARGV[position + 5], tonumber(ARGV[position + 6]), ARGV[position + 7]
    if id == '' then id = nil end
    checks, isOutside, position = checksAt(position + 8, tonumber(ARGV[position + 3]), limits, nowMs)
  end
  if notAfterMs and nowMs > notAfterMs then
    instead = TOO_LATE
  elseif isOutside then
    instead = OUTSIDE_BOUNDS
  elseif #checks == 0 then
    instead = NO_CHECKS
  end
  return position, times, mode, checks, costs, step, instead, atLeast, id, holdMs, naming
end

-- The state of a key under a limit. If this call has read or written the key before, known is the result of that: its state under
-- another limit, with the state that has to be written if there is one, or true if numeric-path.lua has written it.
local function openState(limit, key, text, known, toWrite, nowMs)
  if not known then return limitStateOf(limit, text, nowMs) end
  if known == true then return limitStateOf(limit, redis.call('GET', key), nowMs) end
  -- Read from text again, because a peek must not write the state as another limit reads it.
  text = known.text
  if toWrite == known then text = keptMs(known, nowMs) > 0 and encoded(known, 0) or known.state.heldUntilMs and heldAlone(known) end
  local self = limitStateOf(limit, text, nowMs)
  if toWrite then self.state.keptUntilMs = nil end
  return self
end

-- Records the units of a check, or of its refusal. Returns whether its state has to be written.
local function settle(self, units, isSpent, isRequestRefused, id, nowMs)
  local limit, isChanged = self.limit, self.isCorrected
  local kernel = limit.kernel
  if not isSpent then
    if limit.blockMs or limit.countRejected then isChanged = refuse(self, units, isRequestRefused, nowMs) or isChanged end
  elseif units ~= 0 then
    kernel.spend(self.state, limit, units, nowMs, id)
    if limit.countRejected == true then self.admittedMs = nowMs end
    isChanged = true
  end
  if isChanged then self.free, self.isCorrected, self.resetAfterMs = kernel.available(self.state, limit, nowMs), false, false end
  return isChanged
end

-- Checks every limit of a request before any is spent, and puts the results into inHand. Returns whether all enforced limits admit it, and, with
-- atLeast, how many units.
-- These units are found by hand, as mostThatFits of core/src/stores/check-evaluation.ts does: their one line of arithmetic would be as long if it
-- was generated.
local function judgeAll(checks, keyCount, inHand, opened, changed, texts, mode, atLeast, id, nowMs)
  local isAllowed, taken, largest = true, nil, 0
  local limitStates, admitted, delays, overQuotas = inHand.limitStates, inHand.admitted, inHand.delays, inHand.overQuotas
  for i = 1, #checks do
    local check, key = checks[i], KEYS[keyCount + i]
    local limit, cost, self = check.limit, check.cost, opened[key]
    if type(self) ~= 'table' or self.limit ~= limit then
      self = openState(limit, key, texts[keyCount + i], self, changed[key], nowMs)
      opened[key] = self
    end
    if limit.lend then
      inHand.guarantees = inHand.guarantees or guarantees(nowMs)
      inHand.guarantees.keepFree(inHand, check)
      inHand.margins[i] = limit.margin
    end
    local delayMs, isAdmitted, overQuota = limit.kernel.delayMs, admits(self, atLeast or cost, id, nowMs)
    if mode == 'keep' and not (limit.kernel.holds and limit.kernel.holds(self.state, id, nowMs)) then isAdmitted, overQuota = false, 0 end
    if limit.lend then isAdmitted, overQuota = inHand.guarantees.grant(inHand, check, self, isAdmitted, cost, id) end
    limitStates[i], admitted[i], overQuotas[i] = self, isAdmitted, overQuota
    delays[i] = isAdmitted and delayMs and delayMs(self.state, limit, nowMs) or 0
    if check.mark ~= '1' then
      isAllowed = isAllowed and isAdmitted
      if atLeast then
        local fits, free, margin = 0, self.free, limit.margin or 0
        if nowMs >= self.blockEndsMs then
          -- Inline: fits = remainingUnits(free, margin)
        end
        taken = min(taken or cost, cost, isAdmitted and max(fits, atLeast) or fits)
      end
    end
    if cost > largest then largest = cost end
  end
  -- If none is enforced, nothing limits the largest cost.
  return isAllowed, atLeast and (taken or largest)
end

-- Spends or refuses every check of a request, unless it is a peek, and adds the verdicts to the reply. Returns the length of the reply.
local function settleAll(checks, keyCount, inHand, changed, changedKeys, mode, isAllowed, taken, atLeast, id, reply, length, nowMs)
  local maySpend = isAllowed and mode ~= 'refuse' or mode == 'renew' or mode == 'keep'
  for i = 1, #checks do
    local self, cost, isAdmitted, key = inHand.limitStates[i], checks[i].cost, inHand.admitted[i], KEYS[keyCount + i]
    local isSpent, lend, remainingOfParts, retryOfPartsMs = maySpend and isAdmitted, self.limit.lend, nil, nil
    -- Again, because another check of this request may have the same limit.
    if lend then self.limit.margin = inHand.margins[i] end
    if mode ~= 'peek' and settle(self, isSpent and taken or not isSpent and atLeast or cost, isSpent, not maySpend, id, nowMs) then
      if not changed[key] then changedKeys[#changedKeys + 1] = key end
      changed[key] = self
    end
    if lend then remainingOfParts, retryOfPartsMs = inHand.guarantees.remainingAndRetry(inHand, checks[i], self, checks) end
    length = addVerdict(reply, length, self, isAdmitted, cost, inHand.delays[i], inHand.overQuotas[i], nowMs, remainingOfParts, retryOfPartsMs)
  end
  return length
end

-- Returns the first error; nothing if there is none. A full server refuses the first write that needs memory, and none after a write that it
-- has made. So if a write fails, nothing was written before, and nothing may be written after: each request is made as a whole, or not at all.
local function writeChanges(keys, states, nowMs, leastTtlMs)
  for i = 1, #keys do
    local failure = write(keys[i], states[keys[i]], nowMs, leastTtlMs)
    if failure then return failure end
  end
end

-- The reply with an error in place of every result that depends on a state which could not be written.
local function replyWith(failure, changed, reply, starts, keysBefore, asked)
  local corrected, length = {}, starts[1] - 1
  for i = 1, length do corrected[i] = reply[i] end
  for i = 1, asked do
    local hasFailed = false
    for key = keysBefore[i] + 1, keysBefore[i + 1] do hasFailed = hasFailed or changed[KEYS[key]] end
    for j = starts[i], hasFailed and starts[i] or starts[i + 1] - 1 do
      length = length + 1
      corrected[length] = hasFailed and failure or reply[j]
    end
  end
  return corrected, length
end

-- The states that have to be written by key, and these keys in order.
local changed, changedKeys = {}, {}

-- The position of each request's result, and of the key before its own keys.
local starts, keysBefore, asked = {}, {}, 0

-- The data of the current request, check by check.
local inHand = { limitStates = {}, admitted = {}, delays = {}, overQuotas = {}, margins = {} }

local mode, holdMs, heldKey, attempt, marks, isRefused
local slots = {}
while ARGV[position] do
  local times, checks, costs, step, instead, atLeast, id, naming
  position, times, mode, checks, costs, step, instead, atLeast, id, holdMs, naming = readAnyRound(position, limits, nowMs)
  if holdMs and instead ~= TOO_LATE then
    heldKey = KEYS[#KEYS]
    attempt, marks = naming ~= '' and id or '', marksOf(checks)
    if isUnknownRecord(texts[#KEYS]) or hasUnknownForm(texts, 0, #checks) then return packed({ nowMs, UNKNOWN_FORM }, 2) end
    local first = repeatedReply(texts[#KEYS], checks, texts, id, naming, nowMs)
    if first then return first end
  end

  for n = answered + 1, times do
    for i = 1, costs and #checks or 0 do checks[i].cost = costs[(n - 1) * step + i] end
    asked = asked + 1
    starts[asked], keysBefore[asked] = length + 1, keyCount
    local refused = instead or hasUnknownForm(texts, keyCount, #checks) and UNKNOWN_FORM
    if refused then
      length = length + 1
      reply[length] = refused
    else
      local isAllowed, taken = judgeAll(checks, keyCount, inHand, opened, changed, texts, mode, atLeast, id, nowMs)
      if atLeast then
        length = length + 1
        reply[length] = isAllowed and taken or 0
      end
      length = settleAll(checks, keyCount, inHand, changed, changedKeys, mode, isAllowed, taken, atLeast, id, reply, length, nowMs)
      isRefused = not isAllowed
      for i = 1, heldKey and isAllowed and #checks or 0 do
        if inHand.admitted[i] and checks[i].limit.kernel.holds and checks[i].cost > 0 then slots[#slots + 1] = i end
      end
    end
    keyCount = keyCount + #checks
  end
  answered = 0
end

local failure = writeChanges(changedKeys, changed, nowMs, leastTtlMs)
if failure then
  starts[asked + 1], keysBefore[asked + 1] = length + 1, keyCount
  reply, length = replyWith(failure, changed, reply, starts, keysBefore, asked)
end

-- An error is not held, and neither is a reply that will be asked for again with other boundaries.
local isAnswered = type(reply[2]) == 'number' and reply[2] >= 0
if heldKey and mode ~= 'peek' and isAnswered then
  remember(heldKey, holdMs, nowMs, leastTtlMs, reply, attempt, slots, marks, isRefused)
end
return packed(reply, length)
