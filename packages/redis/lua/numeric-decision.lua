-- The decision of a numeric request by the arithmetic of an algorithm, in the function that includes it: of state and limit, which that
-- function names, cost, margin, spends and nowMs.

-- Inline: let free = available(state, limit, nowMs)
-- Inline: const isAdmitted = isWithin(cost, quota, free, margin)
local isSpent, resetAfterMs, retryAfterMs = isAdmitted and spends, 0, 0
if isSpent then
  -- Inline: spend(state, limit, cost, nowMs)
  free = free - cost
end
-- Inline: resetAfterMs = waitMs(state, limit, quota, nowMs)
-- Inline: const needed = neededUnits(cost, margin)
if needed > free then
  -- Inline: retryAfterMs = waitMs(state, limit, needed, nowMs)
end
