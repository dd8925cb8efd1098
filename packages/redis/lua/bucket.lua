-- What token and leaky buckets share. State: level, part (of a unit, in m-ths), m, timeMs.
-- The twin of algorithms/bucket.ts: same names, same order of statements.


local bucket = {}

function bucket.decode(numbers, from)
  return { level = numbers[from], part = numbers[from + 1], m = numbers[from + 2], timeMs = numbers[from + 3] }
end

function bucket.encode(state, numbers)
  numbers[#numbers + 1] = state.level
  numbers[#numbers + 1] = state.part
  numbers[#numbers + 1] = state.m
  numbers[#numbers + 1] = state.timeMs
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
