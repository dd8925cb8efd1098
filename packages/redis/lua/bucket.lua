-- What token and leaky buckets share. State: level, part (of a unit, in m-ths), m, timeMs.
-- The twin of algorithms/bucket.ts: same names, same order of statements.

local function makeBucket()
  local bucket = {}

  function bucket.decode(level, part, m, timeMs)
    if not timeMs then return nil end
    return { level = level, part = part, m = m, timeMs = timeMs }
  end

  function bucket.encode(state)
    return state.level, state.part, state.m, state.timeMs
  end

  function bucket.fresh(limit, nowMs)
    return { level = limit.quota, part = 0, m = limit.m, timeMs = nowMs }
  end

  function bucket.isAhead(state, limit, nowMs)
    return state.timeMs > nowMs
  end

  function bucket.at(state, limit, nowMs)
    state.level = max(-limit.quota, min(limit.quota, state.level))
    if state.m ~= limit.m then
      state.part = 0
      state.m = limit.m
    end
    state.timeMs = min(state.timeMs, nowMs)
    return state
  end

  function bucket.held(state, limit, nowMs)
    return min(limit.quota * limit.m, state.level * limit.m + state.part + (nowMs - state.timeMs) * limit.n)
  end

  function bucket.free(state, limit, nowMs)
    return floor(bucket.held(state, limit, nowMs) / limit.m)
  end

  function bucket.untilMs(state, limit, units, nowMs)
    if units > limit.quota then return NEVER end
    local missing = units * limit.m - bucket.held(state, limit, nowMs)
    if missing <= 0 then return 0 end
    if limit.n == 0 then return NEVER end
    return ceil(missing / limit.n)
  end

  function bucket.refill(state, limit, nowMs)
    local now = bucket.held(state, limit, nowMs)
    state.level = floor(now / limit.m)
    state.part = now - state.level * limit.m
    state.timeMs = nowMs
  end

  function bucket.takeOut(state, limit, units)
    state.level = max(-limit.quota, state.level - units)
  end

  return bucket
end
