-- Reads the asks of a call: ARGV is text, read from front to back. First comes the time, if it is not the server's.

-- The server's time in whole milliseconds, read once, or the time of a clock that was passed. A key's time to live runs in real time, so
-- with such a clock it is at least this long.
local nowMs, leastTtlMs = tonumber(ARGV[1]), 600000
if not nowMs then
  local time = redis.call('TIME')
  nowMs, leastTtlMs = time[1] * 1000 + floor(time[2] / 1000), 0
end

-- The current text of each key, false if there is none. All are read in one command, because a command costs more than a key.
local texts = { false }
if #KEYS == 1 then
  local text = redis.pcall('GET', KEYS[1])
  if type(text) == 'string' then texts[1] = text end
elseif #KEYS > 1 then
  texts = redis.call('MGET', unpack(KEYS))
end

-- The limits of this call, in their order, and by their text.
local limits = {}

-- A limit as this call reads it; n and m are refillUnits and refillPeriodMs, margin and lend are those of its check, if it has them.
-- Reading JSON is exact; writing it, with 14 digits, is not.
local function limitOf(text, nowMs)
  local limit = cjson.decode(text)
  local edgesMs = limit.edgesMs
  limit.isOutside = edgesMs ~= nil
  limit.fastPath = not (edgesMs or limit.blockMs or limit.countRejected or limit.margin or limit.lend) and limit.quota > 0 and fastPaths[limit.algorithm]
  for i = 1, edgesMs and #edgesMs - 1 or 0 do
    local startMs, endMs = edgesMs[i], edgesMs[i + 1]
    if startMs <= nowMs and nowMs < endMs then
      limit.isOutside, limit.interval = false, { startMs = startMs, endMs = endMs }
    end
  end
  return limit
end

-- The limit of a check at a position: JSON the first time, and its number after that.
local function limitAt(position, limits, nowMs)
  local text = ARGV[position]
  local limit = limits[text]
  if limit then return limit end
  if #text < 9 then return limits[text + 0] end
  limit = limitOf(text, nowMs)
  limits[text], limits[#limits + 1] = limit, limit
  return limit
end
