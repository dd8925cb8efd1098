-- Decides about any number of questions, one after another, each about any mix of limits: all of them are asked before any is spent, and
-- only what was decided is.
--
-- KEYS  one state per check, question by question; one whose answer is held comes alone, and its answer's key is the last
-- ARGV  now ('' for the server's time); then round by round, of questions that differ in their keys alone:
--         how many they are; 'plain' if they spend and are asked nothing else, or 'spend', 'peek' or 'renew'; notAfterMs; number of checks;
--         unless they are plain, atLeast, id, holdMs ('' for none of these); limit, cost and, unless plain, shadow (1 or 0) per check
-- Reply now, then per question what went wrong, as text, or -1 too late, -2 outside the edges, or, of a decision,
--         what was taken, if it named atLeast; 0 if it has no checks; and per check: 1 if it allows it, plus 2 if retryAfterMs, plus 4 if
--         delayMs follows, being not 0, plus 8 if free does, being not remaining; remaining; resetAfterMs; those three. -1 is never.
--
-- Comes after fast-path.lua, and goes on where that has ended. What is changed here is written at the end, so that a key is written once,
-- however many questions have changed it.

local TOO_LATE, OUTSIDE_EDGES = -1, -2

-- By key, what has to be written; and these keys in order.
local changed, changedKeys, changes = {}, {}, 0

-- As the questions before have left it, under another limit: what that makes of it is not to be written by a look.
local function reopened(known, limit, wasChanged, isKnownChanged)
  local text = known.text
  if isKnownChanged then text = keptMs(known, nowMs) > 0 and encoded(known, 0) end
  local self = standingOf(limit, text, nowMs)
  if wasChanged then self.state.keptUntilMs = nil end
  return self
end

-- Where each question's answer begins, and after which key its own do.
local starts, keysBefore, asked = {}, {}, 0

-- Of the question in hand, check by check.
local standings, admitted, delays = {}, {}, {}

local mode, holdMs, heldKey
while ARGV[position] do
  local times, notAfterMs, count = tonumber(ARGV[position]), tonumber(ARGV[position + 2]), tonumber(ARGV[position + 3])
  local atLeast, id
  mode, position = ARGV[position + 1], position + 4
  if mode ~= 'plain' then
    atLeast, id, holdMs = tonumber(ARGV[position]), ARGV[position + 1], tonumber(ARGV[position + 2])
    position = position + 3
    if id == '' then id = nil end
  end
  local checks, isOutside
  checks, isOutside, position = checksAt(position, count, mode ~= 'plain', limits, nowMs)
  local isTooLate = notAfterMs and nowMs > notAfterMs
  if holdMs and not isTooLate then
    heldKey = KEYS[#KEYS]
    local first = recall(texts[#KEYS], nowMs)
    if first then return first end
  end

  for _ = answered + 1, times do
    asked = asked + 1
    starts[asked], keysBefore[asked] = length + 1, keyCount
    if isTooLate or isOutside or count == 0 then
      length = length + 1
      reply[length] = isTooLate and TOO_LATE or isOutside and OUTSIDE_EDGES or 0
    else
      -- Whether all who are enforced admit it, and of how much, where less would do.
      local isAllowed, taken, largest = true, nil, 0
      for i = 1, count do
        local check, key = checks[i], KEYS[keyCount + i]
        local limit, cost, self = check.limit, check.cost, opened[key]
        if type(self) ~= 'table' or self.limit ~= limit then
          if type(self) == 'table' then
            self = reopened(self, limit, changed[key], changed[key] == self)
          else
            self = standingOf(limit, self and redis.call('GET', key) or texts[keyCount + i], nowMs)
          end
          opened[key] = self
        end
        local kernel, free, isBlocked = limit.kernel, self.free, nowMs < self.blockEndsMs
        local isAdmitted = not isBlocked and limit.quota ~= 0 and (atLeast or cost) <= free
        if id and kernel.holds and not isBlocked and limit.quota ~= 0 then
          isAdmitted = isAdmitted or kernel.holds(self.state, id, nowMs)
        end
        standings[i], admitted[i], delays[i] = self, isAdmitted, 0
        if isAdmitted and kernel.delayMs then delays[i] = kernel.delayMs(self.state, limit, nowMs) end
        if check.mark ~= '1' then
          isAllowed = isAllowed and isAdmitted
          if atLeast then taken = min(taken or cost, cost, isBlocked and 0 or max(0, free)) end
        end
        if cost > largest then largest = cost end
      end
      if atLeast then
        -- Where none is enforced, nothing is in the way of the largest cost.
        taken = taken or largest
        length = length + 1
        reply[length] = isAllowed and taken or 0
      end

      -- What comes of it, and how things stand then.
      local maySpend = isAllowed or mode == 'renew'
      for i = 1, count do
        local self, cost, isAdmitted, delayMs = standings[i], checks[i].cost, admitted[i], delays[i]
        local limit, isChanged = self.limit, false
        local kernel = limit.kernel
        if mode == 'peek' then
          -- Nothing is changed.
        elseif maySpend and isAdmitted then
          if (taken or cost) ~= 0 then
            kernel.spend(self.state, limit, taken or cost, nowMs, id)
            if limit.countRejected == true then self.admittedMs = nowMs end
            isChanged = true
          end
        elseif limit.blockMs or limit.countRejected then
          isChanged = refuse(self, atLeast or cost, not maySpend, nowMs)
        end
        if mode ~= 'peek' and (isChanged or self.isMended) then
          local key = KEYS[keyCount + i]
          if not changed[key] then
            changes = changes + 1
            changedKeys[changes] = key
          end
          changed[key] = self
          self.free, self.isMended, self.resetAfterMs = kernel.free(self.state, limit, nowMs), false, false
        end

        length = tell(reply, length, self, isAdmitted, cost, delayMs, nowMs)
      end
    end
    keyCount = keyCount + count
  end
  answered = 0
end

-- What went wrong, by key.
local failures
for i = 1, changes do
  local key = changedKeys[i]
  local failure = write(key, changed[key], nowMs, leastTtlMs)
  if failure then
    failures = failures or {}
    failures[key] = failure
  end
end
if failures then
  -- No answer is true that rests on a state which could not be written.
  local told = reply
  starts[asked + 1], keysBefore[asked + 1] = length + 1, keyCount
  reply, length = {}, starts[1] - 1
  for i = 1, length do reply[i] = told[i] end
  for i = 1, asked do
    local failure
    for key = keysBefore[i] + 1, keysBefore[i + 1] do failure = failure or failures[KEYS[key]] end
    for j = starts[i], failure and starts[i] or starts[i + 1] - 1 do
      length = length + 1
      reply[length] = failure or told[j]
    end
  end
end
-- Not what went wrong, nor what is asked again with other edges.
local isAnswered = type(reply[2]) == 'number' and reply[2] >= 0
if heldKey and mode ~= 'peek' and isAnswered then remember(heldKey, reply, holdMs, nowMs, leastTtlMs) end
return reply
