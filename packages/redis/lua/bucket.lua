-- The parts that token and leaky buckets share. State: level, part (of a unit, in m-ths), m, timeMs.
-- The twin of algorithms/buckets/state.ts: same names, same order of statements.

-- The fast path of a continuous bucket. Instead of delayMs it returns the content before.
local function bucketFastPath(text, limit, cost, nowMs)
  local quota, n, m = limit.quota, limit.n, limit.m
  local full, keptUntilMs = quota * m, 0
  local before = full
  if text then
    if #text ~= BUCKET_BYTES then return nil end
    local version, ownM, ownKeptUntilMs, units, timeMs = struct.unpack(BUCKET_LAYOUT, text)
    if version ~= FORMAT or ownM ~= m or timeMs > nowMs or units > full or units < -full then return nil end
    before, keptUntilMs = units + (nowMs - timeMs) * n, ownKeptUntilMs
    if before > full then before = full end
  end
  local free, now = floor(before / m), before
  local isAdmitted, at, forMs = cost <= free, nil, nil
  if isAdmitted then free, now = free - cost, before - cost * m end
  local resetAfterMs, retryAfterMs = 0, 0
  if free < quota then resetAfterMs = ceil((full - now) / n) end
  if cost > quota then retryAfterMs = NEVER elseif cost > free then retryAfterMs = ceil((cost * m - now) / n) end
  if isAdmitted and keptUntilMs >= nowMs + resetAfterMs then
    at, text = BUCKET_TAIL_AT, struct.pack(BUCKET_TAIL, now, nowMs)
  elseif isAdmitted then
    -- A key that is used again needs a new time to live less often.
    forMs = text and 2 * resetAfterMs or resetAfterMs
    text = struct.pack(BUCKET_LAYOUT, FORMAT, m, nowMs + forMs, now, nowMs)
  end
  return isAdmitted, free, resetAfterMs, retryAfterMs, before, text, at, forMs
end

local function makeBucket()
  local bucket = {
    layout = BUCKET_LAYOUT,
    bytes = BUCKET_BYTES,

    decode = function(_, m, keptUntilMs, units, timeMs)
      local level = floor(units / m)
      return { level = level, part = units - level * m, m = m, timeMs = timeMs, keptUntilMs = keptUntilMs }
    end,

    encode = function(state, _, keptUntilMs)
      local m = state.m
      return m, keptUntilMs, state.level * m + state.part, state.timeMs
    end,

    fresh = function(limit, nowMs)
      return { level = limit.quota, part = 0, m = limit.m, timeMs = nowMs }
    end,

    isAhead = function(state, limit, nowMs)
      return state.timeMs > nowMs
    end,

    normalize = function(state, limit, nowMs)
      state.level = max(-limit.quota, min(limit.quota, state.level))
      if state.m ~= limit.m then
        state.part = 0
        state.m = limit.m
      end
      state.timeMs = min(state.timeMs, nowMs)
      return state
    end,

    held = function(state, limit, nowMs)
      return min(limit.quota * limit.m, state.level * limit.m + state.part + (nowMs - state.timeMs) * limit.n)
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

  function bucket.refill(state, limit, nowMs)
    local now = held(state, limit, nowMs)
    state.level = floor(now / limit.m)
    state.part = now - state.level * limit.m
    state.timeMs = nowMs
  end

  return bucket
end
