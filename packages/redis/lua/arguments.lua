-- How a call's questions come in: ARGV is text, read from front to back.

local position = 0

local function nextText()
  position = position + 1
  return ARGV[position]
end

local function nextNumber()
  position = position + 1
  return tonumber(ARGV[position])
end

-- The server's time in whole milliseconds, read once, or the time of a clock that was passed.
local function timeOfCall()
  local given = nextText()
  if given ~= '' then return tonumber(given) end
  local time = call('TIME')
  return time[1] * 1000 + floor(time[2] / 1000)
end

local nowMs = timeOfCall()
-- What a key lives at least, in milliseconds.
local leastTtlMs = nextNumber()

local function intervalIn(edgesMs)
  for i = 1, #edgesMs - 1 do
    if edgesMs[i] <= nowMs and nowMs < edgesMs[i + 1] then return { startMs = edgesMs[i], endMs = edgesMs[i + 1] } end
  end
  return nil
end

-- The limits of this call in the order in which they came, and by their text.
local limits = {}

-- A limit is a JSON text where it comes first, later its number. Reading JSON is exact; writing it, with 14 digits, would not be.
local function nextLimit()
  local text = nextText()
  local known = limits[text]
  if known then return known end
  local limit = cjson.decode(text)
  limit.kernel = kernels[limit.algorithm]()
  if limit.edgesMs then limit.interval = intervalIn(limit.edgesMs) end
  limit.isOutside = limit.edgesMs and not limit.interval
  limits[#limits + 1] = limit
  limits[format('%d', #limits)] = limit
  return limit
end

-- So many checks: limit, cost, and whether it is a shadow.
local function nextChecks(count)
  local checks = {}
  for i = 1, count do
    checks[i] = { limit = nextLimit(), cost = nextNumber(), isShadow = nextText() == '1' }
  end
  return checks
end

local function isOutside(checks)
  for i = 1, #checks do
    if checks[i].limit.isOutside then return true end
  end
  return false
end
