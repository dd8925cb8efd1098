-- The state of one key under one limit at the moment of this call, as algorithms/limit-state.ts has it in memory.
-- It is stored as a version, the kernel's state in whole numbers of fixed lengths, and the rest of it in MessagePack. blockEndsMs and
-- admittedMs come before all that, with another version, if they are set. If the key has strikes, or was blocked by hand, these two come
-- with strikes, heldUntilMs, and when the key would end without a block by hand, with a third version; the state of a key that was blocked before
-- it was counted ends there. All numbers are exact.
-- Calls: block margin token-bucket
-- Limit: quota=limit.quota refillUnits=limit.refillUnits refillPeriodMs=limit.refillPeriodMs byInterval=limit.byInterval

-- Whether one of these texts has a version that is not known: nothing may be changed then.
local function hasUnknownForm(texts, from, count)
  for i = from + 1, from + count do
    local version = texts[i] and string.byte(texts[i])
    if version and (version < FORMAT or version > FORMAT_HELD) then return true end
  end
  return false
end

-- Handles the values that struct has read.
local function decodedOf(kernel, text, blockEndsMs, admittedMs, strikes, heldUntilMs, version, ...)
  return version == FORMAT and kernel.decode(text, ...), blockEndsMs, admittedMs, strikes, heldUntilMs
end

-- Returns state, blockEndsMs, admittedMs, strikes and heldUntilMs of a text written by `encoded`; no state, or an error, for any other text. A
-- block by hand does not keep a state that ended before endedMs. Within a call, a text may not say its end.
local function decoded(kernel, text, endedMs)
  local first, blockEndsMs, admittedMs, strikes, heldUntilMs, version, keptUntilMs, _ = 1, 0, -1, 0, 0, string.byte(text), nil, nil
  if version == FORMAT_HEADED then
    _, blockEndsMs, admittedMs, first = struct.unpack(HEAD, text)
  elseif version == FORMAT_HELD then
    _, blockEndsMs, admittedMs, strikes, heldUntilMs, keptUntilMs, first = struct.unpack(HELD_HEAD, text)
    if heldUntilMs ~= 0 and keptUntilMs ~= 0 and keptUntilMs < endedMs then return nil, 0, -1, 0, heldUntilMs end
  end
  local bytes = #text - first + 1
  if bytes < kernel.bytes or (bytes > kernel.bytes and not kernel.rest) then return nil, blockEndsMs, admittedMs, strikes, heldUntilMs end
  return decodedOf(kernel, text, blockEndsMs, admittedMs, strikes, heldUntilMs, struct.unpack(kernel.layout, text, first))
end

local function encoded(self, keptUntilMs)
  local limit, state, blockEndsMs, admittedMs = self.limit, self.state, self.blockEndsMs, self.admittedMs
  local kernel = limit.kernel
  local text, strikes, heldUntilMs = struct.pack(kernel.layout, FORMAT, kernel.encode(state, limit, keptUntilMs)), state.strikes, state.heldUntilMs
  if kernel.rest then text = text .. kernel.rest(state) end
  if strikes or heldUntilMs then
    if heldUntilMs then blockEndsMs = state.ownBlockEndsMs end
    return struct.pack(HELD_HEAD, FORMAT_HELD, blockEndsMs, admittedMs, strikes or 0, heldUntilMs or 0, keptUntilMs or 0) .. text
  end
  if blockEndsMs == 0 and admittedMs == -1 then return text end
  return struct.pack(HEAD, FORMAT_HEADED, blockEndsMs, admittedMs) .. text
end

-- Reads this text (false if there is none) under this limit. Few keys have strikes or were blocked by hand, so that stands in the kernel's state:
-- strikes, heldUntilMs, and ownBlockEndsMs. blockEndsMs is then the later of heldUntilMs and ownBlockEndsMs, the end of the limit's own block.
local function limitStateOf(limit, text, nowMs)
  local kernel, interval, state, blockEndsMs, admittedMs, isCorrected = limit.kernel, limit.interval, nil, 0, -1, false
  local strikes, heldUntilMs = 0, 0
  if text then
    local isRead
    isRead, state, blockEndsMs, admittedMs, strikes, heldUntilMs = pcall(decoded, kernel, text, leastTtlMs == 0 and nowMs or 0)
    if not isRead then state, strikes, heldUntilMs = nil, 0, 0 end
  end
  if heldUntilMs ~= 0 then
    state = state or kernel.fresh(limit, nowMs)
    -- By its own clock a server knows that a block is over. A clock that was passed may be wrong at this moment.
    if heldUntilMs <= nowMs and leastTtlMs == 0 then heldUntilMs = 0 end
  end
  -- A text that `encoded` did not write counts as absent.
  if state then
    -- Inline: const atMs = markedMs(admittedMs)
    isCorrected = atMs > nowMs or kernel.isAhead(state, limit, nowMs, interval)
    local blocksMs = limit.blocksMs
    if isCorrected then
      local longestMs = blocksMs and blocksMs[#blocksMs] or limit.blockMs or 0
      -- Inline: blockEndsMs = cutBlock(blockEndsMs, admittedMs, longestMs, nowMs)
      -- Inline: admittedMs = admittedBy(admittedMs, nowMs)
    end
    if strikes ~= 0 then
      local hasGrowth, forgetMs = blocksMs ~= nil, limit.forgetMs or 0
      -- Inline: strikes = strikesAt(strikes, hasGrowth, forgetMs, blockEndsMs, nowMs)
    end
  else
    state, blockEndsMs, admittedMs, strikes = kernel.fresh(limit, nowMs), 0, -1, 0
  end
  state = kernel.normalize(state, limit, nowMs, interval)
  if strikes ~= 0 then state.strikes = strikes end
  if heldUntilMs ~= 0 then
    state.heldUntilMs, state.ownBlockEndsMs = heldUntilMs, blockEndsMs
    blockEndsMs = max(blockEndsMs, heldUntilMs)
  end
  -- Do not add fields: a ninth field would double the memory of each.
  return {
    limit = limit,
    text = text,
    state = state,
    free = kernel.available(state, limit, nowMs),
    blockEndsMs = blockEndsMs,
    admittedMs = admittedMs,
    isCorrected = isCorrected,
    resetAfterMs = false,
  }
end

-- Milliseconds until this many units fit and no block is left.
local function untilMs(self, units, nowMs)
  local limit, blockEndsMs, fitsMs = self.limit, self.blockEndsMs, 0
  if units > self.free then fitsMs = limit.kernel.waitMs(self.state, limit, units, nowMs) end
  -- Inline: const waits = afterBlock(fitsMs, blockEndsMs, nowMs)
  return waits
end

-- How long refusals count after an admission.
local function countsForMs(limit)
  if limit.windowMs then return limit.windowMs end
  -- Inline: const forMs = spanMs(limit)
  return forMs
end

-- Whether this many units fit with the margin of the check, or their slot is already held; and how many units only the margin admits.
local function admits(self, units, id, nowMs)
  local limit, free = self.limit, self.free
  if limit.quota == 0 then return false, 0 end
  local margin = limit.margin or 0
  -- Inline: let isOpen = isWithin(units, limit.quota, free, margin)
  isOpen = isOpen and nowMs >= self.blockEndsMs
  if isOpen and margin <= 0 then return true, 0 end
  -- Somebody who has a slot already uses it, blocked or not: a block refuses what begins.
  local holds = id and limit.kernel.holds
  if holds and holds(self.state, id, nowMs) then return true, 0 end
  if not isOpen then return false, 0 end
  -- Inline: const overQuota = unitsOverQuota(units, free)
  return true, overQuota
end

-- Adds the verdict about this many units to a reply. The first number is the sum of IS_ALLOWED if they are admitted, HAS_RETRY if retryAfterMs
-- follows (not 0), HAS_DELAY if delayMs does (not 0), HAS_FREE if free does (it differs from remaining in debt, during a block, or if units are kept
-- back), IS_OVER_QUOTA if overQuota does (not 0), IS_BLOCKED if the key is blocked by hand, and HAS_BEGUN_BLOCK if this request began a block: its end
-- and the strikes follow. Then come remaining, resetAfterMs, and what follows. Units that fit have no retryAfterMs. A limit with guaranteed parts passes its remaining and retryAfterMs as
-- remainingOfParts and retryOfPartsMs. Returns the length of the reply.
local function addVerdict(reply, length, self, isAdmitted, cost, delayMs, overQuota, nowMs, remainingOfParts, retryOfPartsMs)
  local free, margin = self.free, self.limit.margin or 0
  local what, units, retryAfterMs = isAdmitted and IS_ALLOWED or 0, cost, nil
  -- Inline: let remaining = remainingUnits(free, margin)
  if nowMs < self.blockEndsMs then remaining = 0 end
  if units == 0 then units = 1 end
  if remainingOfParts then
    remaining, retryAfterMs = remainingOfParts, retryOfPartsMs ~= 0 and retryOfPartsMs or nil
  elseif units > remaining then
    -- Inline: const needed = neededUnits(units, margin)
    retryAfterMs = untilMs(self, needed, nowMs)
  end
  if retryAfterMs then what = what + HAS_RETRY end
  if delayMs ~= 0 then what = what + HAS_DELAY end
  if free ~= remaining then what = what + HAS_FREE end
  if overQuota ~= 0 then what = what + IS_OVER_QUOTA end
  local state = self.state
  local heldUntilMs, hasBegun = state.heldUntilMs, state.hasBegunBlock
  if heldUntilMs and nowMs < heldUntilMs then what = what + IS_BLOCKED end
  if hasBegun then what = what + HAS_BEGUN_BLOCK end
  local resetAfterMs = self.resetAfterMs
  if not resetAfterMs then
    resetAfterMs = untilMs(self, self.limit.quota, nowMs)
    self.resetAfterMs = resetAfterMs
  end
  reply[length + 1], reply[length + 2], reply[length + 3] = what, remaining, resetAfterMs
  length = length + 3
  if retryAfterMs then
    length = length + 1
    reply[length] = retryAfterMs
  end
  if delayMs ~= 0 then
    length = length + 1
    reply[length] = delayMs
  end
  if free ~= remaining then
    length = length + 1
    reply[length] = free
  end
  if overQuota ~= 0 then
    length = length + 1
    reply[length] = overQuota
  end
  if hasBegun then
    reply[length + 1], reply[length + 2] = self.blockEndsMs, state.strikes or 1
    length, state.hasBegunBlock = length + 2, nil
  end
  return length
end

-- Milliseconds until nothing in the state matters any more, apart from a block that was set by hand.
local function keptMs(self, nowMs)
  local limit, state, endsMs, blockEndsMs, countsMs = self.limit, self.state, self.resetAfterMs, self.blockEndsMs, 0
  if state.heldUntilMs then
    self.blockEndsMs = state.ownBlockEndsMs
    endsMs = untilMs(self, limit.quota, nowMs)
    self.blockEndsMs, blockEndsMs = blockEndsMs, state.ownBlockEndsMs
  end
  local blockMs, forgetMs = blockEndsMs - nowMs, state.strikes and limit.forgetMs or 0
  if not endsMs then endsMs = untilMs(self, limit.quota, nowMs) end
  if limit.kernel.retentionMs then endsMs = limit.kernel.retentionMs(self.state, limit, nowMs) or endsMs end
  if limit.countRejected == true and self.admittedMs >= 0 then countsMs = self.admittedMs + countsForMs(limit) - nowMs end
  -- Inline: const forMs = keptForMs(endsMs, blockMs, forgetMs, countsMs)
  return forMs
end

-- Records a refused request, if the limit counts refusals or blocks. Returns whether anything changed. A request that was refused only to leave
-- units to others takes nothing from them, and one that was refused by a block by hand leaves nothing.
local function refuse(self, cost, isRequestRefused, nowMs)
  local limit, heldUntilMs = self.limit, self.state.heldUntilMs
  if heldUntilMs and nowMs < heldUntilMs then return false end
  local margin, isAdmitted = limit.margin or 0, admits(self, cost, nil, nowMs)
  if margin < 0 and not isAdmitted and nowMs >= self.blockEndsMs and limit.quota > 0 and cost <= self.free then return false end
  local blockMs, countRejected, admittedMs, counts = limit.blockMs, limit.countRejected, self.admittedMs, false
  local startsBlock = blockMs and cost > 0 and nowMs >= self.blockEndsMs and not isAdmitted
  local spanMs = admittedMs >= 0 and countsForMs(limit) or 0
  -- Inline: const hasAdmission = isAdmissionCounted(admittedMs, spanMs, nowMs)
  if isRequestRefused and countRejected then
    -- Inline: counts = isRefusalCounted(cost, limit.quota, countRejected, hasAdmission)
  end
  if startsBlock then
    local state, blocksMs = self.state, limit.blocksMs
    local strikes = state.strikes or 0
    -- Inline: const lengthMs = blockLengthMs(blockMs, blocksMs, strikes)
    if blocksMs then state.strikes = strikes + 1 end
    self.blockEndsMs, state.ownBlockEndsMs, state.hasBegunBlock = nowMs + lengthMs, nowMs + lengthMs, true
    if not hasAdmission then
      -- Inline: self.admittedMs = markOfBlock(nowMs)
    end
  end
  if counts then limit.kernel.spend(self.state, limit, cost, nowMs) end
  return startsBlock or counts
end

-- The text of a key of whose state nothing matters any more, but which was blocked by hand.
local function heldAlone(self)
  return struct.pack(HELD_HEAD, FORMAT_HELD, 0, -1, 0, self.state.heldUntilMs, 0)
end

-- Keeps the state until nothing in it matters any more, and no shorter than it was to be kept if the key was blocked by hand; after that the
-- key is fresh. If the end of the key is the right one already, it stays, which is cheaper. Numbers are passed as text, which is also
-- cheaper. Returns the error, if there is one.
local function write(key, self, nowMs, leastTtlMs)
  local endsMs, answer = keptMs(self, nowMs), nil
  local ownEndsMs = (self.state.keptUntilMs or 0) - nowMs
  if self.state.heldUntilMs then
    local ttlMs = redis.call('PTTL', key)
    local text = endsMs == 0 and heldAlone(self) or encoded(self, nowMs + endsMs)
    answer = redis.pcall('SET', key, text, 'PX', string.format('%d', max(endsMs, leastTtlMs, ttlMs, 1)))
  elseif endsMs == 0 then
    answer = redis.pcall('DEL', key)
  elseif leastTtlMs == 0 and ownEndsMs == endsMs then
    answer = redis.pcall('SET', key, encoded(self, self.state.keptUntilMs), 'KEEPTTL')
  else
    answer = redis.pcall('SET', key, encoded(self, nowMs + endsMs), 'PX', string.format('%d', max(endsMs, leastTtlMs)))
  end
  return type(answer) == 'table' and answer.err or nil
end

-- Reads this many checks from a position on: limit, cost, and a mark. The parts of a limit that lends come right before it, and own and all
-- say where. Then whether the time is outside the boundaries of one, and the next position.
local function checksAt(position, count, limits, nowMs)
  local checks, isOutside = {}, false
  for i = 1, count do
    local check = { limit = limitAt(position, limits, nowMs), cost = tonumber(ARGV[position + 1]), mark = ARGV[position + 2] }
    if check.limit.lend then check.own, check.all = i - 2, i - 1 end
    checks[i] = check
    isOutside = isOutside or check.limit.isOutside
    position = position + 3
  end
  return checks, isOutside, position
end
