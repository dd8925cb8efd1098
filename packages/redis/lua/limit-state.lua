-- The state of one key under one limit at the moment of this call. The twin of algorithms/limit-state.ts.
-- It is kept as a version, the kernel's state in whole numbers of fixed lengths, and what else there is of it in MessagePack. Before
-- all that are blockEndsMs and admittedMs, unless they say nothing, behind another version. All of it is exact.

-- Of what struct has read.
local function decodedOf(kernel, text, blockEndsMs, admittedMs, version, ...)
  return version == FORMAT and kernel.decode(text, ...), blockEndsMs, admittedMs
end

-- State, blockEndsMs and admittedMs of what was written by `encoded`; nothing, or an error, of anything else.
local function decoded(kernel, text)
  local first, blockEndsMs, admittedMs = 1, 0, -1
  if string.byte(text) == FORMAT_HEADED then blockEndsMs, admittedMs, first = struct.unpack('<i7i7', text, 2) end
  local bytes = #text - first + 1
  if bytes < kernel.bytes or (bytes > kernel.bytes and not kernel.rest) then return nil end
  return decodedOf(kernel, text, blockEndsMs, admittedMs, struct.unpack(kernel.layout, text, first))
end

local function encoded(self, keptUntilMs)
  local limit, state, blockEndsMs, admittedMs = self.limit, self.state, self.blockEndsMs, self.admittedMs
  local kernel = limit.kernel
  local text = struct.pack(kernel.layout, FORMAT, kernel.encode(state, limit, keptUntilMs))
  if kernel.rest then text = text .. kernel.rest(state) end
  if blockEndsMs == 0 and admittedMs == -1 then return text end
  return struct.pack('<Bi7i7', FORMAT_HEADED, blockEndsMs, admittedMs) .. text
end

-- What is kept as this text, false where there is none, as this limit reads it.
local function limitStateOf(limit, text, nowMs)
  local kernel, interval, state, blockEndsMs, admittedMs, isCorrected = limit.kernel, limit.interval, nil, 0, -1, false
  if text then
    local isRead
    isRead, state, blockEndsMs, admittedMs = pcall(decoded, kernel, text)
    state = isRead and state
  end
  -- A text that `encoded` did not write is as if it were not there.
  if state then
    local latestBlockEndMs = nowMs + (limit.blockMs or 0)
    isCorrected = blockEndsMs > latestBlockEndMs or admittedMs > nowMs or kernel.isAhead(state, limit, nowMs, interval)
    if blockEndsMs > latestBlockEndMs then blockEndsMs = latestBlockEndMs end
    if admittedMs > nowMs then admittedMs = nowMs end
  else
    state, blockEndsMs, admittedMs = kernel.fresh(limit, nowMs), 0, -1
  end
  state = kernel.normalize(state, limit, nowMs, interval)
  -- No more fields: a ninth would double what each of them takes.
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

-- Until so many units fit and no block is left.
local function untilMs(self, units, nowMs)
  local limit, fitsMs = self.limit, 0
  if units > self.free then fitsMs = limit.kernel.waitMs(self.state, limit, units, nowMs) end
  if fitsMs == NEVER then return NEVER end
  local blockMs = self.blockEndsMs - nowMs
  return blockMs > fitsMs and blockMs or fitsMs
end

-- Of limits that count refusals: until when one would be counted.
local function countsUntilMs(self)
  local limit = self.limit
  if limit.windowMs then return self.admittedMs + limit.windowMs end
  if limit.byInterval then return self.admittedMs + math.ceil(limit.quota / limit.n) * limit.m end
  return self.admittedMs + math.ceil((limit.quota * limit.m) / limit.n)
end

-- Whether so many units fit with the check's margin, or their slot is held already; and how many only the margin admits.
local function admits(self, units, id, nowMs)
  local limit, free = self.limit, self.free
  if nowMs < self.blockEndsMs or limit.quota == 0 then return false, 0 end
  local margin = limit.margin
  if not margin and units <= free then return true, 0 end
  local holds = id and limit.kernel.holds
  if holds and holds(self.state, id, nowMs) then return true, 0 end
  if not margin or units > limit.quota or units > free + margin then return false, 0 end
  return true, max(0, units - max(0, free))
end

-- What a limit's margin leaves to others: 0 or less.
local function keptBack(limit)
  local margin = limit.margin
  return margin and margin < 0 and margin or 0
end

-- Adds the verdict about so many units to a reply: 1 if they are admitted, plus 2 if retryAfterMs, plus 4 if delayMs
-- follows, being not 0, plus 8 if free does, being not remaining (in debt, while a block runs, or where units are kept back), plus 16 if
-- overQuota does, being not 0; remaining; resetAfterMs; those four. What fits need not be waited for. Returns how long the reply is then.
local function addVerdict(reply, length, self, isAdmitted, cost, delayMs, overQuota, nowMs)
  local free, kept = self.free, keptBack(self.limit)
  local what, units, remaining, retryAfterMs = isAdmitted and 1 or 0, cost, free + kept, nil
  if remaining < 0 or nowMs < self.blockEndsMs then remaining = 0 end
  if units == 0 then units = 1 end
  if units > remaining then
    retryAfterMs = untilMs(self, units - kept, nowMs)
    what = what + 2
  end
  if delayMs ~= 0 then what = what + 4 end
  if free ~= remaining then what = what + 8 end
  if overQuota ~= 0 then what = what + 16 end
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
  return length
end

-- Until nothing in it can matter any more.
local function keptMs(self, nowMs)
  local limit, endsMs, blockMs = self.limit, self.resetAfterMs, self.blockEndsMs - nowMs
  if not endsMs then endsMs = untilMs(self, limit.quota, nowMs) end
  if endsMs ~= 0 and limit.kernel.retentionMs then endsMs = limit.kernel.retentionMs(self.state, limit, nowMs) or endsMs end
  if limit.countRejected == true and self.admittedMs >= 0 then endsMs = math.max(endsMs, countsUntilMs(self) - nowMs) end
  return blockMs > endsMs and blockMs or endsMs
end

-- What a refused request leaves behind where a limit counts refusals or blocks; whether it is anything. What was refused only to leave units
-- to others takes nothing from them.
local function refuse(self, cost, isRequestRefused, nowMs)
  local limit = self.limit
  local margin, isAdmitted = limit.margin or 0, admits(self, cost, nil, nowMs)
  if margin < 0 and not isAdmitted and nowMs >= self.blockEndsMs and limit.quota > 0 and cost <= self.free then return false end
  local blockMs, countRejected, quota = limit.blockMs, limit.countRejected, limit.quota
  local isBlocked = nowMs < self.blockEndsMs
  local startsBlock = blockMs and cost > 0 and not isBlocked and not isAdmitted
  local counts = isRequestRefused and countRejected and cost > 0 and cost <= quota
  if counts and countRejected == true then counts = self.admittedMs >= 0 and nowMs < countsUntilMs(self) end
  if startsBlock then self.blockEndsMs = nowMs + blockMs end
  if counts then limit.kernel.spend(self.state, limit, cost, nowMs) end
  return startsBlock or counts
end

-- Kept until nothing in it can matter any more: the end of its time is as a fresh state. An end that the key has already is cheaper, and
-- not given up for one that is less than twice as near; so is a number that is told as text. Returns what went wrong.
local function write(key, self, nowMs, leastTtlMs)
  local endsMs, answer = keptMs(self, nowMs), nil
  local ownEndsMs = (self.state.keptUntilMs or 0) - nowMs
  if endsMs == 0 then
    answer = redis.pcall('DEL', key)
  elseif leastTtlMs == 0 and ownEndsMs >= endsMs and ownEndsMs <= 2 * endsMs then
    answer = redis.pcall('SET', key, encoded(self, self.state.keptUntilMs), 'KEEPTTL')
  else
    answer = redis.pcall('SET', key, encoded(self, nowMs + endsMs), 'PX', string.format('%d', max(endsMs, leastTtlMs)))
  end
  return type(answer) == 'table' and answer.err or nil
end

-- So many checks from a position on: limit, cost, and a mark, where they have any. Then whether the time is outside the edges of one, and
-- where the next position is.
local function checksAt(position, count, haveMarks, limits, nowMs)
  local checks, isOutside = {}, false
  for i = 1, count do
    local limit = limitAt(position, limits, nowMs)
    limit.kernel = limit.kernel or kernels[limit.algorithm]()
    checks[i] = { limit = limit, cost = tonumber(ARGV[position + 1]), mark = haveMarks and ARGV[position + 2] }
    isOutside = isOutside or limit.isOutside
    position = position + (haveMarks and 3 or 2)
  end
  return checks, isOutside, position
end
