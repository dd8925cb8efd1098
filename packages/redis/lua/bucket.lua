-- How token and leaky buckets are kept. periodMs is the refillPeriodMs of the limit. The rate is refillUnits + 1, and 0 if it is not known; with a capacity as a number
-- below 0. Earlier versions have kept a time there, which is larger. They read any of these as a time long ago.
-- Why it is so: core/docs/why/buckets.md

local function decodeBucket(_, periodMs, rate, units, timeMs)
  local ownUnits, capacity
  -- Include: bucket-rate
  local level = floor(units / periodMs)
  return { level = level, part = units - level * periodMs, refillUnits = ownUnits, refillPeriodMs = periodMs, capacity = capacity, timeMs = timeMs }
end

local function encodeBucket(state)
  local periodMs, rate = state.refillPeriodMs, state.refillUnits + 1
  if state.capacity > 0 then rate = -(state.capacity * BESIDE + rate) end
  return periodMs, rate, state.level * periodMs + state.part, state.timeMs
end
