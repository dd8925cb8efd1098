-- Adds blocks of limits to the list of a policy, or reads a part of it.
--
-- KEYS  the list: three keys, see block-list.lua
-- ARGV  'add'; then the hashed key, the end and the strikes of each block
--       or 'read', the end from which on, and how many entries to leave out and to return of each sorted set
-- Reply now; for 'read' also the entries of the one sorted set and of the other: the hashed key, its end and its note, each in order

local held, begun, notes = KEYS[1], KEYS[2], KEYS[3]

-- The entries of a sorted set that have not ended.
local function read(key, mark, from, skipped, count)
  if count == 0 then return {} end
  local entries = redis.call('ZRANGEBYSCORE', key, from, '+inf', 'WITHSCORES', 'LIMIT', skipped, count)
  local read = {}
  for i = 1, #entries, 2 do
    read[#read + 1], read[#read + 2], read[#read + 3] = entries[i], entries[i + 1], redis.call('HGET', notes, mark .. entries[i]) or ''
  end
  return read
end

if ARGV[1] == 'read' then
  local from = tonumber(ARGV[2])
  from = from > nowMs and string.format('%d', from) or string.format('(%d', nowMs)
  return { nowMs, read(held, 'a', from, ARGV[3], ARGV[4] + 0), read(begun, 'l', from, ARGV[5], ARGV[6] + 0) }
end

if leastTtlMs == 0 then removeEnded(begun, notes, 'l', nowMs) end
local lastMs, ends, noted, first = 0, {}, {}, {}
for i = 2, #ARGV, 3 do
  local hash, untilMs, strikes = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  ends[#ends + 1], ends[#ends + 2] = untilMs, hash
  if strikes == '1' then first[#first + 1] = 'l' .. hash else noted[#noted + 1], noted[#noted + 2] = 'l' .. hash, strikes end
  lastMs = max(lastMs, untilMs + 0)
end
redis.call('ZADD', begun, unpack(ends))
if #first > 0 then redis.call('HDEL', notes, unpack(first)) end
if #noted > 0 then redis.call('HSET', notes, unpack(noted)) end
trimBegun(held, begun, notes)
keepList(held, begun, notes, lastMs - nowMs, leastTtlMs)
return { nowMs }
