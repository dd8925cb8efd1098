-- The records of operations, and of changes that were made. core/src/stores/operation-record.ts has their rules.
-- A record of an operation is a list:
--   1  the end of its time, because keys live longer with the clock of a test
--   2  the reply
--   3  the attempt that was decided; '' if the requests have none
--   4  the positions of the checks that took slots
--   5  the marks of the checks, as marksOf returns them
--   6  whether it was refused
-- A record of a change has the end of its time, and what was made.
-- Why it is so: core/docs/why/operations.md

-- Returns what a record holds after the end of its time; nothing if there is no record any more.
local function recall(text, nowMs)
  local isRead, values = pcall(cmsgpack.unpack, text or '')
  if not isRead or type(values) ~= 'table' or type(values[1]) ~= 'number' or nowMs >= values[1] then return nil end
  return values[2], values[3], values[4], values[5], values[6]
end

-- One character for each check: 1 if it is not enforced.
local function marksOf(checks)
  local marks = {}
  for i = 1, #checks do marks[i] = checks[i].mark end
  return table.concat(marks)
end

-- Whether a text has a form that is not known: nothing may be changed then.
local function isUnknownRecord(text)
  if not text then return false end
  local isRead, values = pcall(cmsgpack.unpack, text)
  return not isRead or type(values) ~= 'table' or type(values[1]) ~= 'number'
end

local function remember(key, forMs, nowMs, leastTtlMs, ...)
  local text = cmsgpack.pack({ nowMs + forMs, ... })
  redis.call('SET', key, text, 'PX', string.format('%d', math.max(forMs, leastTtlMs)))
end

-- The reply to a request that repeats another one, as packed in reply.lua; nothing if the request has to be decided. slotId names the slots that it would
-- take, and is its attempt unless naming is ''. With naming 'only', no other attempt that was admitted is repeated.
local function repeatedReply(text, checks, texts, slotId, naming, nowMs)
  local first, attempt, slots, marks, isRefused = recall(text, nowMs)
  if type(first) ~= 'table' then return nil end
  -- A record of an earlier version says nothing of slots, or of marks. If there are slots, the request is decided.
  marks = marks or marksOf(checks)
  for i = 1, slots and 0 or #checks do
    if checks[i].limit.kernel.holds then return nil end
  end
  attempt = attempt or ''
  if naming == 'only' and attempt ~= slotId and not isRefused then return nil end
  if attempt ~= '' then slotId = attempt end
  for _, i in ipairs(slots or {}) do
    local limit = checks[i] and checks[i].limit
    local holds = limit and limit.kernel.holds
    if not holds or not holds(limitStateOf(limit, texts[i], nowMs).state, slotId, nowMs) then return nil end
  end
  local atMs = table.remove(first, 1)
  local names = attempt .. struct.pack('<d', #marks) .. marks
  return struct.pack('<dddd', nowMs, REPEATS, atMs, #attempt) .. names .. packed(first, #first)
end
