-- Decides about limits with guaranteed parts. The twin of stores/guarantee.ts. A check with lend has own and all: where the checks of the
-- request's part, and of all parts together, are. Few calls have such a check, so the functions are created when they are needed.
-- Why it is so: core/docs/why/margins-and-guarantees.md

local function guarantees(nowMs)
  -- As few units as a block alone can refuse.
  local noUnits = -math.huge
  -- After this many steps, a wait is that until all parts are unused.
  local mostSteps = 32
  -- Clients are told a wait in seconds, rounded up.
  local roundedToMs = 1000

  local function later(one, other)
    if one == NEVER or other == NEVER then return NEVER end
    return max(one, other)
  end

  local function closedMs(self)
    return untilMs(self, noUnits, nowMs)
  end

  local function remainingOf(self)
    return closedMs(self) == 0 and max(0, self.free) or 0
  end

  local function availableIn(self, ms)
    local limit = self.limit
    if ms > 0 then
      local resetAfterMs = untilMs(self, limit.quota, nowMs)
      if resetAfterMs ~= NEVER and ms >= resetAfterMs then return limit.quota end
    end
    return max(0, limit.kernel.available(self.state, limit, nowMs + ms))
  end

  local function keptForParts(unused, lend)
    return min(unused, ceil(floor((1 - lend) * unused * 1e6 + 0.5) / 1e6))
  end

  -- Milliseconds, at least these, until this many units are available beside those that are kept free after these.
  local function roomAfterMs(whole, all, units, ms)
    return later(ms, untilMs(whole, units + keptForParts(availableIn(all, ms), whole.limit.lend), nowMs))
  end

  local function borrowedAfterMs(whole, all, units, closed)
    local waitMs = closed
    for _ = 1, mostSteps do
      if waitMs == NEVER then return NEVER end
      local ms = roomAfterMs(whole, all, units, waitMs)
      if ms == waitMs then
        local rounded = ceil(waitMs / roundedToMs) * roundedToMs
        ms = roomAfterMs(whole, all, units, rounded)
        if ms == rounded or ms == NEVER then return waitMs end
      end
      waitMs = ms
    end
    return later(waitMs, untilMs(whole, units + keptForParts(all.limit.quota, whole.limit.lend), nowMs))
  end

  local function deny(inHand, i)
    inHand.admitted[i], inHand.delays[i], inHand.overQuotas[i] = false, 0, 0
  end

  return {
    -- Lets a limit keep free what its parts may still need. It comes before the limit is asked.
    keepFree = function(inHand, check)
      check.limit.margin = 0 - keptForParts(availableIn(inHand.limitStates[check.all], 0), check.limit.lend)
    end,

    -- Whether the limit of a check, in this state, admits its units, and how many of them have no room. It comes after the limit was asked. The
    -- limit admits what both parts admit; otherwise neither part is spent.
    grant = function(inHand, check, whole, isAdmitted, units, id)
      local admitted, part, all = inHand.admitted, inHand.limitStates[check.own], inHand.limitStates[check.all]
      local isOpen = closedMs(whole) == 0
      if admitted[check.own] and admitted[check.all] and (isAdmitted or isOpen) then
        local holds = id and whole.limit.kernel.holds
        if holds and holds(whole.state, id, nowMs) then return true, 0 end
        return true, max(0, units - max(0, whole.free))
      end
      deny(inHand, check.own)
      deny(inHand, check.all)
      return isAdmitted and later(closedMs(part), closedMs(all)) == 0, 0
    end,

    -- Returns what the request of a check can get either way, and when its own units fit.
    room = function(inHand, check, whole, checks)
      local part, all = inHand.limitStates[check.own], inHand.limitStates[check.all]
      local closed, remaining = later(later(closedMs(part), closedMs(all)), closedMs(whole)), 0
      if closed == 0 then
        local unused = remainingOf(whole) - keptForParts(availableIn(all, 0), whole.limit.lend)
        remaining = max(0, unused, min(remainingOf(part), remainingOf(all)))
      end
      local partMs, allMs = untilMs(part, max(1, checks[check.own].cost), nowMs), untilMs(all, max(1, checks[check.all].cost), nowMs)
      local ownMs, waitMs = later(partMs, allMs), borrowedAfterMs(whole, all, max(1, check.cost), closed)
      if ownMs ~= NEVER then waitMs = waitMs == NEVER and ownMs or min(waitMs, ownMs) end
      return remaining, later(waitMs, closed)
    end,
  }
end
