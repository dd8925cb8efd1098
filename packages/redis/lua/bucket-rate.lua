-- Reads the units and the capacity of a rate, as bucket.lua explains it.

ownUnits, capacity = UNKNOWN, 0
if rate < 0 then
  local both = -rate
  local one = both % BESIDE
  ownUnits, capacity = one - 1, (both - one) / BESIDE
elseif rate > 0 and rate < LEAST_TIME then
  ownUnits = rate - 1
end
