-- Answers remembered by id for a while. When that is over is kept with them, because under a test's clock keys live longer.

local function recall(key)
  local text = call('GET', key)
  if not text then return nil end
  local isRead, values = pcall(unpack, text)
  if not isRead or type(values) ~= 'table' or type(values[1]) ~= 'number' then return nil end
  if nowMs < values[1] then return values[2] end
  return nil
end

local function remember(key, answer, forMs)
  call('SET', key, pack({ nowMs + forMs, answer }), 'PX', max(forMs, leastTtlMs))
end
