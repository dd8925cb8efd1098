-- Decides about any number of questions, one after another, each about any mix of limits: every state is read, every kernel asked, and
-- only what was decided is spent. One that fails fails by itself.
--
-- KEYS  one state per check, question by question; one whose answer is held comes alone, and its answer's key is the last
-- ARGV  now ('' for the server's time), least TTL in ms; then round by round, of questions that differ in their keys alone:
--         how many they are, 'spend', 'look' or 'renew', notAfterMs, atLeast, id, holdMs ('' for none),
--         number of checks, then limit, cost and shadow (1 or 0) per check
-- Reply now, then per question what went wrong, as text, or its outcome (0 refused, 1 allowed, 2 outside the edges, 3 too late);
--         after the first two taken, if it named atLeast, and per check: 1 if it allows it, plus 2 if retryAfterMs, plus 4 if
--         delayMs follows, being not 0; remaining; resetAfterMs; those two. -1 is never.

local REFUSED, ALLOWED, OUTSIDE_EDGES, TOO_LATE = 0, 1, 2, 3

local reply, length = { nowMs }, 1

local function tell(value)
  length = length + 1
  reply[length] = value
end

-- Of the question in hand, check by check.
local standings, admitted, delays = {}, {}, {}

-- Whether all who are enforced admit it, and of how much, where less would do.
local function ask(question, firstKey)
  local atLeast, checks = question.atLeast, question.checks
  local isAllowed, taken, largest = true, nil, 0
  for i = 1, #checks do
    local check = checks[i]
    local limit, cost = check.limit, check.cost
    local self = standing.open(KEYS[firstKey + i - 1], limit)
    local isAdmitted = standing.admits(self, atLeast or cost, question.id)
    local delayMs = isAdmitted and limit.kernel.delayMs
    standings[i], admitted[i], delays[i] = self, isAdmitted, delayMs and delayMs(self.state, limit, nowMs) or 0
    if not check.isShadow then
      isAllowed = isAllowed and isAdmitted
      if atLeast then taken = min(taken or cost, cost, standing.remaining(self)) end
    end
    if cost > largest then largest = cost end
  end
  -- Where none is enforced, nothing is in the way of the largest cost.
  if atLeast then taken = taken or largest end
  return isAllowed, taken
end

-- As things stand now. What fits need not be waited for.
local function tellVerdict(self, cost, isAdmitted, delayMs)
  local remaining = standing.remaining(self)
  local what, units, retryAfterMs = isAdmitted and 1 or 0, cost, nil
  if units == 0 then units = 1 end
  if units > remaining then
    retryAfterMs = standing.untilMs(self, units)
    what = what + 2
  end
  if delayMs ~= 0 then what = what + 4 end
  local n = length + 3
  reply[n - 2], reply[n - 1], reply[n] = what, remaining, standing.resetAfterMs(self)
  length = n
  if retryAfterMs then tell(retryAfterMs) end
  if delayMs ~= 0 then tell(delayMs) end
end

local function decide(question, firstKey)
  if question.isTooLate then return tell(TOO_LATE) end
  if question.isOutside then return tell(OUTSIDE_EDGES) end
  local mode, checks = question.mode, question.checks
  local isAllowed, taken = ask(question, firstKey)
  local maySpend = isAllowed or mode == 'renew'
  tell(isAllowed and ALLOWED or REFUSED)
  if taken then tell(isAllowed and taken or 0) end
  for i = 1, #checks do
    local self, cost, isAdmitted = standings[i], checks[i].cost, admitted[i]
    local isChanged = false
    if mode == 'look' then
      -- Nothing is changed.
    elseif maySpend and isAdmitted then
      isChanged = standing.spend(self, taken or cost, question.id)
    else
      isChanged = standing.refuse(self, question.atLeast or cost, not maySpend)
    end
    if isChanged then standing.change(KEYS[firstKey + i - 1], self) end
    tellVerdict(self, cost, isAdmitted, delays[i])
  end
end

local function nextQuestion()
  local times, mode = nextNumber(), nextText()
  local notAfterMs, atLeast = nextNumber(), nextNumber()
  local id, holdMs = nextText(), nextNumber()
  if id == '' then id = nil end
  local checks = nextChecks(nextNumber())
  return {
    times = times,
    mode = mode,
    isTooLate = notAfterMs and nowMs > notAfterMs,
    isOutside = isOutside(checks),
    atLeast = atLeast,
    id = id,
    holdMs = holdMs,
    checks = checks,
  }
end

-- Where each question's answer and its keys begin.
local starts, firstKeys, asked, firstKey = {}, {}, 0, 1

local function textOf(failure)
  return type(failure) == 'table' and failure.err or tostring(failure)
end

local function askNext(question)
  asked = asked + 1
  local start = length + 1
  starts[asked], firstKeys[asked] = start, firstKey
  local isDecided, failure = pcall(decide, question, firstKey)
  if not isDecided then
    for i = start, length do reply[i] = nil end
    length = start - 1
    tell(textOf(failure))
  end
  firstKey = firstKey + #question.checks
end

-- Answers that rest on a state which could not be written are what went wrong there.
local function voided(failures)
  local told = reply
  reply, length = { nowMs }, 1
  starts[asked + 1], firstKeys[asked + 1] = #told + 1, firstKey
  for i = 1, asked do
    local failure
    for key = firstKeys[i], firstKeys[i + 1] - 1 do failure = failure or failures[KEYS[key]] end
    if failure then
      tell(textOf(failure))
    else
      for j = starts[i], starts[i + 1] - 1 do tell(told[j]) end
    end
  end
end

local question, heldKey
while position < #ARGV do
  question = nextQuestion()
  if question.holdMs and not question.isTooLate then
    heldKey = KEYS[#KEYS]
    local first = recall(heldKey)
    if first then return first end
  end
  for _ = 1, question.times do askNext(question) end
end

local failures = standing.writeAll()
if failures then voided(failures) end
-- Not what went wrong, nor what is asked again with other edges.
local isAnswered = reply[2] == ALLOWED or reply[2] == REFUSED
if heldKey and question.mode ~= 'look' and isAnswered then remember(heldKey, reply, question.holdMs) end
return reply
