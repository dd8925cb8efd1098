-- The parts that token and leaky buckets share. State: level, part (of a unit, in m-ths), n and m (the rate that it was written with), capacity,
-- timeMs. n is kept as n + 1, and as 0 if it is not known; with a capacity as a number below 0. Earlier versions have kept a time there, which is
-- larger. They read any of these as a time long ago.
-- The twin of algorithms/buckets/state.ts: same names, same order of statements.

local function makeBucket()
  local function knownUnits(limit)
    return limit.n < LEAST_TIME - 1 and limit.n or UNKNOWN
  end

  local function knownCapacity(limit)
    return limit.quota <= LARGEST_CAPACITY and limit.n <= MOST_UNITS_BESIDE and limit.quota or 0
  end

  local function refillAtOldRate(state, limit, nowMs)
    local n, m, elapsedMs = state.n, state.m, nowMs - state.timeMs
    if limit.byInterval then
      local periods = floor(elapsedMs / m)
      state.level = state.level + periods * n
      state.timeMs = state.timeMs + periods * m
      return
    end
    local parts = state.level * m + state.part + elapsedMs * n
    state.level = floor(parts / m)
    state.part = parts - state.level * m
    state.timeMs = nowMs
  end

  local bucket = {
    layout = BUCKET_LAYOUT,
    bytes = BUCKET_BYTES,

    decode = function(_, m, rate, units, timeMs)
      local level, n, capacity = floor(units / m), UNKNOWN, 0
      if rate > 0 and rate < LEAST_TIME then n = rate - 1 end
      if rate < 0 then
        capacity = floor(-rate / BESIDE)
        n = -rate - capacity * BESIDE - 1
      end
      return { level = level, part = units - level * m, n = n, m = m, capacity = capacity, timeMs = timeMs }
    end,

    encode = function(state)
      local m, rate = state.m, state.n + 1
      if state.capacity > 0 then rate = -(state.capacity * BESIDE + rate) end
      return m, rate, state.level * m + state.part, state.timeMs
    end,

    fresh = function(limit, nowMs)
      return { level = limit.quota, part = 0, n = knownUnits(limit), m = limit.m, capacity = 0, timeMs = nowMs }
    end,

    isAhead = function(state, limit, nowMs)
      return state.timeMs > nowMs
    end,

    normalize = function(state, limit, nowMs)
      local n, m = state.n, state.m
      local isKnown = n ~= UNKNOWN
      local isSame = m == limit.m and (not isKnown or n == knownUnits(limit))
      state.timeMs = min(state.timeMs, nowMs)
      if not isSame and isKnown then refillAtOldRate(state, limit, nowMs) end
      if not isSame then
        state.n = knownUnits(limit)
        if state.level >= state.capacity or knownCapacity(limit) == 0 then state.capacity = 0 end
      end
      state.level = max(-limit.quota, min(limit.quota, state.level))
      if m ~= limit.m then
        state.part = 0
        state.m = limit.m
      end
      return state
    end,

    held = function(state, limit, nowMs)
      return min(limit.quota * limit.m, state.level * limit.m + state.part + (nowMs - state.timeMs) * limit.n)
    end,

    putIn = function(state, limit, parts)
      local now = min(limit.quota * limit.m, state.level * limit.m + state.part + parts)
      state.level = floor(now / limit.m)
      state.part = now - state.level * limit.m
    end,

    takeOut = function(state, limit, units)
      state.level = max(-limit.quota, state.level - units)
    end,
  }

  local held = bucket.held

  function bucket.available(state, limit, nowMs)
    return floor(held(state, limit, nowMs) / limit.m)
  end

  function bucket.waitMs(state, limit, units, nowMs)
    if units > limit.quota then return NEVER end
    local missing = units * limit.m - held(state, limit, nowMs)
    if missing <= 0 then return 0 end
    if limit.n == 0 then return NEVER end
    return ceil(missing / limit.n)
  end

  function bucket.noteLimit(state, limit, parts)
    local capacity = knownCapacity(limit)
    state.n = knownUnits(limit)
    local isFull = capacity == 0 or parts >= state.capacity * limit.m
    state.capacity = isFull and capacity or max(capacity, state.capacity)
  end

  function bucket.largest(state, limit)
    local capacity = state.capacity
    return capacity > limit.quota and { quota = capacity, n = limit.n, m = limit.m, byInterval = limit.byInterval } or nil
  end

  function bucket.refill(state, limit, nowMs)
    bucket.noteLimit(state, limit, state.level * limit.m + state.part + (nowMs - state.timeMs) * limit.n)
    local now = held(state, limit, nowMs)
    state.level = floor(now / limit.m)
    state.part = now - state.level * limit.m
    state.timeMs = nowMs
  end

  return bucket
end
