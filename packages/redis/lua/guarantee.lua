-- Decides about limits with guaranteed parts, as stores/guarantee.ts does in memory. A check with lend has own and all: where the checks of the
-- request's part, and of all parts together, are. Few calls have such a check, so the functions are created when they are needed.
-- Why it is so: core/docs/why/margins-and-guarantees.md

local function guarantees(nowMs)
  -- As few units as a block alone can refuse.
  local noUnits, untilTheTime = -math.huge, untilMs

  -- What the arithmetic asks about a state.
  local function untilMs(self, units)
    return untilTheTime(self, units, nowMs)
  end
  local function freeIn(self, ms)
    return self.limit.kernel.available(self.state, self.limit, nowMs + ms)
  end
  -- Arithmetic: guarantee
  -- Arithmetic: margin

  local function closedMs(self)
    return untilMs(self, noUnits)
  end

  local function remainingOf(self)
    return closedMs(self) == 0 and max(0, self.free) or 0
  end

  local function keptForPartsNow(inHand, check)
    local all = inHand.limitStates[check.all]
    return keptForPartsAfter(all, all.limit.quota, check.limit.lend, 0)
  end

  local function deny(inHand, i)
    inHand.admitted[i], inHand.delays[i], inHand.overQuotas[i] = false, 0, 0
  end

  return {
    -- Lets a limit keep free what its parts may still need. It comes before the limit is asked.
    keepFree = function(inHand, check)
      check.limit.margin = 0 - keptForPartsNow(inHand, check)
    end,

    -- Whether the limit of a check, in this state, admits its units, and how many of them have no room. It comes after the limit was asked. The
    -- limit admits what both parts admit; otherwise neither part is spent.
    grant = function(inHand, check, whole, isAdmitted, units, id)
      local admitted, part, all = inHand.admitted, inHand.limitStates[check.own], inHand.limitStates[check.all]
      if isGranted(admitted[check.own], admitted[check.all], isAdmitted, closedMs(whole)) then
        local holds = id and whole.limit.kernel.holds
        if holds and holds(whole.state, id, nowMs) then return true, 0 end
        return true, unitsOverQuota(units, whole.free)
      end
      deny(inHand, check.own)
      deny(inHand, check.all)
      return isAdmitted and later(closedMs(part), closedMs(all)) == 0, 0
    end,

    -- Returns what the request of a check can get either way, and when its own units fit.
    remainingAndRetry = function(inHand, check, whole, checks)
      local part, all = inHand.limitStates[check.own], inHand.limitStates[check.all]
      local closed, lend = later(later(closedMs(part), closedMs(all)), closedMs(whole)), whole.limit.lend
      local remaining = remainingWithParts(closed, remainingOf(part), remainingOf(all), remainingOf(whole), keptForPartsNow(inHand, check))
      local ownMs = later(untilMs(part, max(1, checks[check.own].cost)), untilMs(all, max(1, checks[check.all].cost)))
      local borrowedMs = borrowedAfterMs(whole, all, all.limit.quota, lend, max(1, check.cost), closed)
      return remaining, retryWithParts(ownMs, borrowedMs, closed)
    end,
  }
end
