-- Replies that are remembered by id for a while. They contain the end of this time, because keys live longer with the clock of a test.

-- Reads a remembered reply from the text of a key.
local function recall(text, nowMs)
  local isRead, values = pcall(cmsgpack.unpack, text or '')
  if not isRead or type(values) ~= 'table' or type(values[1]) ~= 'number' then return nil end
  if nowMs < values[1] then return values[2] end
  return nil
end

local function remember(key, answer, forMs, nowMs, leastTtlMs)
  local text = cmsgpack.pack({ nowMs + forMs, answer })
  redis.call('SET', key, text, 'PX', string.format('%d', math.max(forMs, leastTtlMs)))
end
