-- Reads what every call needs: the time, and the states.

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
