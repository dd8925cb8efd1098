-- The parts that token and leaky buckets share. State: level, part (of a unit, in m-ths), m, timeMs.
-- The twin of algorithms/buckets/state.ts: same names, same order of statements.

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

  function bucket.refill(state, limit, nowMs)
    local now = held(state, limit, nowMs)
    state.level = floor(now / limit.m)
    state.part = now - state.level * limit.m
    state.timeMs = nowMs
  end

  return bucket
end
