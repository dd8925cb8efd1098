-- How a call's numbers come in: ARGV is text, and every number in it is whole.

local FIELDS = 18

local function numberAt(i)
  return tonumber(ARGV[i])
end

-- One check from ARGV[from] on, in the order of command-arguments.ts.
local function checkAt(from, nowMs)
  local align = ARGV[from + 7]
  local limit = {
    algorithm = ARGV[from],
    quota = numberAt(from + 1),
    windowMs = numberAt(from + 2),
    n = numberAt(from + 3),
    m = numberAt(from + 4),
    byInterval = ARGV[from + 5] == '1',
    buckets = numberAt(from + 6),
    isFirstRequest = align == 'first-request',
    isClock = align == 'clock',
    leaseMs = numberAt(from + 8),
    blockMs = numberAt(from + 9),
    countRejected = numberAt(from + 10),
    keepForMs = numberAt(from + 11),
  }
  local check = { limit = limit, cost = numberAt(from + 12), isShadow = ARGV[from + 13] == '1', isInside = true }
  if align == 'calendar' then
    check.isInside = false
    for i = from + 14, from + 16 do
      local startMs, endMs = numberAt(i), numberAt(i + 1)
      if startMs <= nowMs and nowMs < endMs then
        check.interval = { startMs = startMs, endMs = endMs }
        check.isInside = true
      end
    end
  end
  return check
end

-- The server's time in whole milliseconds, read once, or the time of a clock that was passed.
local function timeOfCall(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return time[1] * 1000 + floor(time[2] / 1000)
end
