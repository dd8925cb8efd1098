-- The list of a policy's blocks: two sorted sets of hashed keys by end, of those that were blocked by hand and of those that limits have blocked,
-- and a hash of what else is known about them, with 'a' or 'l' before the hashed key. A list is kept as long as its last block.

local function keepList(held, begun, notes, forMs, leastTtlMs)
  for _, key in ipairs({ held, begun, notes }) do
    redis.call('PEXPIRE', key, string.format('%d', max(redis.call('PTTL', key), forMs, leastTtlMs)))
  end
end

local function removeFrom(key, notes, mark, hashes)
  if #hashes == 0 then return end
  redis.call('ZREM', key, unpack(hashes))
  for i = 1, #hashes do hashes[i] = mark .. hashes[i] end
  redis.call('HDEL', notes, unpack(hashes))
end

-- Removes entries that have ended, but not for long.
local function removeEnded(key, notes, mark, nowMs)
  removeFrom(key, notes, mark, redis.call('ZRANGEBYSCORE', key, '-inf', nowMs, 'LIMIT', 0, 1000))
end

-- Leaves out blocks of limits that end first, if there are too many.
local function trimBegun(held, begun, notes)
  local more = redis.call('ZCARD', held) + redis.call('ZCARD', begun) - MOST_BLOCKS
  while more > 0 do
    local first = redis.call('ZRANGE', begun, 0, min(more, 1000) - 1)
    if #first == 0 then return end
    more = more - #first
    removeFrom(begun, notes, 'l', first)
  end
end
