-- How one key stands with one limit at the moment of this call. The twin of algorithms/standing.ts.
-- An account is kept as format version, blockEndsMs, admittedMs, kernel state... in MessagePack, whose whole numbers are exact.

local FORMAT = 1

local standing = {}

-- By key, the accounts that this call has read, and those that it has to write, whose keys are in order.
local opened, changed, changedKeys = {}, {}, {}

-- What has another format version, or is no account at all, is as if it were not there.
local function account(limit, text, isRead, version, blockEndsMs, admittedMs, ...)
  local kernel, state, isMended = limit.kernel, nil, false
  if isRead and version == FORMAT and admittedMs then state = kernel.decode(...) end
  if state then
    local latestBlockEndMs = nowMs + (limit.blockMs or 0)
    isMended = blockEndsMs > latestBlockEndMs or admittedMs > nowMs or kernel.isAhead(state, limit, nowMs, limit.interval)
    blockEndsMs = min(blockEndsMs, latestBlockEndMs)
    admittedMs = min(admittedMs, nowMs)
  else
    state, blockEndsMs, admittedMs = kernel.fresh(limit, nowMs), 0, -1
  end
  -- No more fields: a ninth would double what each of them takes.
  return {
    limit = limit,
    -- What it was read from; false where there was nothing.
    text = text,
    state = kernel.at(state, limit, nowMs, limit.interval),
    blockEndsMs = blockEndsMs,
    admittedMs = admittedMs,
    isMended = isMended,
    isChanged = false,
    resetAfterMs = false,
  }
end

-- As it is kept.
local function encode(self)
  return pack(FORMAT, self.blockEndsMs, self.admittedMs, self.limit.kernel.encode(self.state))
end

-- As the questions before have left it, under another limit: what that makes of it is not to be written by a look.
local function reopened(key, known, limit)
  local text = known.text
  if known.isChanged then text = standing.keptMs(known) > 0 and encode(known) end
  local self = account(limit, text, pcall(unpack, text or ''))
  if changed[key] then self.state.keptUntilMs = nil end
  return self
end

-- Each key is read from Redis once.
function standing.open(key, limit)
  local self = opened[key]
  if self and self.limit == limit then return self end
  if self then
    self = reopened(key, self, limit)
  else
    local text = call('GET', key)
    self = account(limit, text, pcall(unpack, text or ''))
  end
  opened[key] = self
  return self
end

function standing.admits(self, cost, id)
  local limit = self.limit
  if nowMs < self.blockEndsMs or limit.quota == 0 then return false end
  local kernel = limit.kernel
  if id and kernel.holds and kernel.holds(self.state, id, nowMs) then return true end
  return cost <= kernel.free(self.state, limit, nowMs)
end

function standing.remaining(self)
  if nowMs < self.blockEndsMs then return 0 end
  local limit = self.limit
  local free = limit.kernel.free(self.state, limit, nowMs)
  return free > 0 and free or 0
end

function standing.untilMs(self, units)
  local limit = self.limit
  local untilMs = limit.kernel.untilMs(self.state, limit, units, nowMs)
  if untilMs == NEVER then return NEVER end
  return max(untilMs, self.blockEndsMs - nowMs)
end

local function countsUntilMs(self)
  local limit = self.limit
  if limit.windowMs then return self.admittedMs + limit.windowMs end
  if limit.byInterval then return self.admittedMs + ceil(limit.quota / limit.n) * limit.m end
  return self.admittedMs + ceil((limit.quota * limit.m) / limit.n)
end

-- Until the key, left alone, is as fresh.
function standing.resetAfterMs(self)
  self.resetAfterMs = self.resetAfterMs or standing.untilMs(self, self.limit.quota)
  return self.resetAfterMs
end

-- Until nothing in it can matter any more.
function standing.keptMs(self)
  local limit = self.limit
  local keptMs = standing.resetAfterMs(self)
  if keptMs ~= 0 and limit.kernel.keptMs then keptMs = limit.kernel.keptMs(self.state, limit, nowMs) or keptMs end
  if limit.countRejected == true and self.admittedMs >= 0 then keptMs = max(keptMs, countsUntilMs(self) - nowMs) end
  return max(keptMs, self.blockEndsMs - nowMs)
end

function standing.spend(self, cost, id)
  if cost == 0 then return self.isMended end
  local limit = self.limit
  limit.kernel.spend(self.state, limit, cost, nowMs, id)
  if limit.countRejected == true then self.admittedMs = nowMs end
  return true
end

local function countsRejected(self)
  if self.limit.countRejected ~= true then return self.limit.countRejected == 'always' end
  return self.admittedMs >= 0 and nowMs < countsUntilMs(self)
end

function standing.refuse(self, cost, isRequestRefused)
  local limit = self.limit
  local startsBlock = limit.blockMs and cost > 0 and nowMs >= self.blockEndsMs and not standing.admits(self, cost)
  local counts = isRequestRefused and cost > 0 and cost <= limit.quota and countsRejected(self)
  if startsBlock then self.blockEndsMs = nowMs + limit.blockMs end
  if counts then limit.kernel.spend(self.state, limit, cost, nowMs) end
  return startsBlock or counts or self.isMended
end

-- Writing waits for the end of the call, so that a key is written once, however many questions have changed it.
function standing.change(key, self)
  if not changed[key] then changedKeys[#changedKeys + 1] = key end
  changed[key] = self
  self.isChanged, self.isMended, self.resetAfterMs = true, false, false
end

-- Kept until nothing in it can matter any more: the end of its time is as a fresh state. An end that the key has already is the cheaper
-- one to give it.
local function write(key, self)
  local keptMs = standing.keptMs(self)
  if keptMs == 0 then
    call('DEL', key)
  elseif self.state.keptUntilMs == nowMs + keptMs and leastTtlMs == 0 then
    call('SET', key, encode(self), 'KEEPTTL')
  else
    call('SET', key, encode(self), 'PX', max(keptMs, leastTtlMs))
  end
end

-- What cannot be written is told by key: no answer that rests on it is true.
function standing.writeAll()
  local failures
  for i = 1, #changedKeys do
    local key = changedKeys[i]
    local isWritten, failure = pcall(write, key, changed[key])
    if not isWritten then
      failures = failures or {}
      failures[key] = failure
    end
  end
  return failures
end
