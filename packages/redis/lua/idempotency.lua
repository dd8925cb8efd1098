-- Answers remembered by id for a while. When that is over is kept with them, because under a test's clock keys live longer.

-- What is remembered by what is kept under a key.
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
