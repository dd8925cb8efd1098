-- How one key stands with one limit at one moment. The twin of algorithms/standing.ts.
-- An account is kept as { format version, blockEndsMs, admittedMs, kernel state... } in MessagePack, whose whole numbers are exact.

local FORMAT = 1

local standing = {}

local function spanMs(limit)
  if limit.windowMs > 0 then return limit.windowMs end
  if limit.byInterval then return ceil(limit.quota / limit.n) * limit.m end
  return ceil((limit.quota * limit.m) / limit.n)
end

-- A state of another format version, or of anything that is none, is as if it were not there.
local function stored(key)
  local text = redis.call('GET', key)
  if not text then return nil end
  local isRead, values = pcall(cmsgpack.unpack, text)
  if not isRead or type(values) ~= 'table' or values[1] ~= FORMAT or #values < 3 then return nil end
  return values
end

function standing.open(key, limit, nowMs, interval)
  local kernel = kernels[limit.algorithm]
  local values = stored(key)
  local latestBlockEndMs = nowMs + limit.blockMs
  local self = { key = key, kernel = kernel, limit = limit, nowMs = nowMs, isStored = values ~= nil, isMended = false }
  local blockEndsMs, admittedMs, state = 0, -1, nil
  if values then
    blockEndsMs, admittedMs, state = values[2], values[3], kernel.decode(values, 4)
    self.isMended = blockEndsMs > latestBlockEndMs or admittedMs > nowMs or kernel.isAhead(state, limit, nowMs, interval)
  else
    state = kernel.fresh(limit, nowMs)
  end
  self.state = kernel.at(state, limit, nowMs, interval)
  self.blockEndsMs = min(blockEndsMs, latestBlockEndMs)
  self.admittedMs = min(admittedMs, nowMs)
  return self
end

function standing.isBlocked(self)
  return self.nowMs < self.blockEndsMs
end

function standing.free(self)
  return self.kernel.free(self.state, self.limit, self.nowMs)
end

function standing.remaining(self)
  if standing.isBlocked(self) then return 0 end
  return max(0, standing.free(self))
end

function standing.delayMs(self)
  if not self.kernel.delayMs then return 0 end
  return self.kernel.delayMs(self.state, self.limit, self.nowMs)
end

function standing.admits(self, cost, id)
  if standing.isBlocked(self) or self.limit.quota == 0 then return false end
  if id and self.kernel.holds and self.kernel.holds(self.state, id, self.nowMs) then return true end
  return cost <= standing.free(self)
end

function standing.untilMs(self, units)
  local untilMs = self.kernel.untilMs(self.state, self.limit, units, self.nowMs)
  if untilMs == NEVER then return NEVER end
  return max(untilMs, self.blockEndsMs - self.nowMs)
end

local function countsUntilMs(self)
  return self.admittedMs + spanMs(self.limit)
end

function standing.keptMs(self)
  local keptMs = standing.untilMs(self, self.limit.quota)
  if keptMs ~= 0 and self.kernel.keptMs then
    keptMs = self.kernel.keptMs(self.state, self.limit, self.nowMs) or keptMs
  end
  local countsMs = 0
  if self.limit.countRejected == 1 and self.admittedMs >= 0 then countsMs = countsUntilMs(self) - self.nowMs end
  return max(keptMs, self.blockEndsMs - self.nowMs, countsMs)
end

function standing.spend(self, cost, id)
  if cost == 0 then return self.isMended end
  self.kernel.spend(self.state, self.limit, cost, self.nowMs, id)
  if self.limit.countRejected == 1 then self.admittedMs = self.nowMs end
  return true
end

local function countsRejected(self)
  if self.limit.countRejected ~= 1 then return self.limit.countRejected == 2 end
  return self.admittedMs >= 0 and self.nowMs < countsUntilMs(self)
end

function standing.refuse(self, cost, isRequestRefused)
  local startsBlock = self.limit.blockMs > 0 and cost > 0 and not standing.admits(self, cost) and not standing.isBlocked(self)
  local counts = isRequestRefused and cost > 0 and cost <= self.limit.quota and countsRejected(self)
  if startsBlock then self.blockEndsMs = self.nowMs + self.limit.blockMs end
  if counts then self.kernel.spend(self.state, self.limit, cost, self.nowMs) end
  return startsBlock or counts or self.isMended
end

function standing.correct(self, cost, atMs, id)
  if cost >= 0 then
    if cost == 0 or self.kernel.holds then return false end
    self.kernel.spend(self.state, self.limit, cost, self.nowMs)
    return true
  end
  if standing.free(self) >= self.limit.quota then return false end
  return self.kernel.giveBack(self.state, self.limit, -cost, self.nowMs, atMs, id)
end

-- Kept until nothing in it can matter any more: the end of its time is as a fresh state.
function standing.write(self, leastTtlMs)
  local keptMs = standing.keptMs(self)
  if keptMs == 0 then
    if self.isStored then redis.call('DEL', self.key) end
    return
  end
  local values = { FORMAT, self.blockEndsMs, self.admittedMs }
  self.kernel.encode(self.state, values)
  redis.call('SET', self.key, cmsgpack.pack(values), 'PX', max(keptMs, leastTtlMs))
end
