-- Blocks a key by hand, lifts its blocks, or finds them. A block stands at the head of a state, so no kernel is needed, and every decision sees it.
--
-- KEYS  the states of the key under every limit and algorithm; then, if this call reaches it, the list of its policy: three keys, see block-list.lua
-- ARGV  'block', 'unblock' or 'find', number of states, the hashed key; to block also how long ('' for ever)
--         and a note for the list ('' for none). The last is the time of a clock that was passed, see clock.lua
-- Reply now; then for 'block' 1, or 0 if the list is full; for 'unblock' 1 if the key was blocked, else 0; for 'find' the block of
--         a limit that ends last, its strikes, the end of the block by hand (-1 for never), and its note ('' if there is none). For
--         all, UNKNOWN_FORM if a newer version has written one of the states
-- Why it is so: core/docs/why/blocks.md

local verb, states, hash, forMs, note = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), ARGV[5]
local held, begun, notes = KEYS[states + 1], KEYS[states + 2], KEYS[states + 3]
local isServerTime = leastTtlMs == 0

for i = 1, states do
  local version = texts[i] and string.byte(texts[i])
  if version and (version < FORMAT or version > FORMAT_HELD) then return { nowMs, UNKNOWN_FORM } end
end

-- Reads the head of a text: blockEndsMs, admittedMs, strikes, heldUntilMs, keptUntilMs (0 if it is not in the head), and the kernel's state.
local function headOf(text)
  local version = text and string.byte(text)
  if version == FORMAT_HELD then
    local _, blockEndsMs, admittedMs, strikes, heldUntilMs, keptUntilMs, first = struct.unpack(HELD_HEAD, text)
    return blockEndsMs, admittedMs, strikes, heldUntilMs, keptUntilMs, string.sub(text, first)
  end
  if version == FORMAT_HEADED then
    local _, blockEndsMs, admittedMs, first = struct.unpack(HEAD, text)
    return blockEndsMs, admittedMs, 0, 0, 0, string.sub(text, first)
  end
  return 0, -1, 0, 0, 0, version == FORMAT and text or ''
end

local function set(key, text, forMs)
  redis.call('SET', key, text, 'PX', string.format('%d', max(forMs, leastTtlMs, 1)))
end

local function block(untilMs)
  for i = 1, states do
    local blockEndsMs, admittedMs, strikes, heldUntilMs, keptUntilMs, state = headOf(texts[i])
    local ttlMs = texts[i] and redis.call('PTTL', KEYS[i]) or 0
    if heldUntilMs == 0 then keptUntilMs = nowMs + max(0, ttlMs) end
    heldUntilMs = max(heldUntilMs, untilMs)
    set(KEYS[i], struct.pack(HELD_HEAD, FORMAT_HELD, blockEndsMs, admittedMs, strikes, heldUntilMs, keptUntilMs) .. state, max(forMs or CENTURY_MS, ttlMs))
  end
end

local function unblock()
  local isLifted = 0
  for i = 1, states do
    local blockEndsMs, admittedMs, strikes, heldUntilMs, keptUntilMs, state = headOf(texts[i])
    if blockEndsMs > nowMs or heldUntilMs > nowMs then isLifted = 1 end
    if blockEndsMs ~= 0 or heldUntilMs ~= 0 or strikes ~= 0 then
      if admittedMs ~= -1 then state = struct.pack(HEAD, FORMAT_HEADED, 0, admittedMs) .. state end
      if state == '' or (heldUntilMs ~= 0 and keptUntilMs <= nowMs and isServerTime) then
        redis.call('DEL', KEYS[i])
      elseif heldUntilMs ~= 0 then
        set(KEYS[i], state, keptUntilMs - nowMs)
      else
        redis.call('SET', KEYS[i], state, 'KEEPTTL')
      end
    end
  end
  return isLifted
end

if verb == 'find' then
  local ownMs, ownStrikes, lastMs = 0, 0, 0
  for i = 1, states do
    local blockEndsMs, _, strikes, heldUntilMs = headOf(texts[i])
    if blockEndsMs > ownMs then ownMs, ownStrikes = blockEndsMs, max(1, strikes) end
    lastMs = max(lastMs, heldUntilMs)
  end
  return { nowMs, ownMs, ownStrikes, lastMs == FOREVER and -1 or lastMs, notes and redis.call('HGET', notes, 'a' .. hash) or '' }
end

if verb == 'unblock' then
  local isLifted = unblock()
  if held then
    if redis.call('ZREM', held, hash) + redis.call('ZREM', begun, hash) > 0 then redis.call('HDEL', notes, 'a' .. hash, 'l' .. hash) end
  end
  return { nowMs, isLifted }
end

local untilMs = forMs and nowMs + forMs or FOREVER
local listedMs = held and tonumber(redis.call('ZSCORE', held, hash) or nil)
if held then
  local isFull = not listedMs and redis.call('ZCARD', held) >= MOST_BLOCKS
  -- A clock that was passed may be wrong at this moment.
  if isServerTime or isFull then removeEnded(held, notes, 'a', nowMs) end
  if isFull and redis.call('ZCARD', held) >= MOST_BLOCKS then return { nowMs, 0 } end
end
block(untilMs)
if held and (not listedMs or listedMs < untilMs) then
  redis.call('ZADD', held, string.format('%d', untilMs), hash)
  if note ~= '' then redis.call('HSET', notes, 'a' .. hash, note) else redis.call('HDEL', notes, 'a' .. hash) end
  trimBegun(held, begun, notes)
  keepList(held, begun, notes, forMs or CENTURY_MS, leastTtlMs)
end
return { nowMs, 1 }
