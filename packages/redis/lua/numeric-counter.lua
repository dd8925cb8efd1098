-- Decides: sliding-window-counter
-- How two counters of clock-aligned windows are read and written. a is the window.
-- Calls: sliding-window-counter margin
-- State: startMs previous current
-- Limit: quota windowMs countRejected=nil

local function numericCounter(text, quota, windowMs, _, _, cost, margin, spends, nowMs)
  local startMs, previous, current
  if text then
    if #text ~= COUNTER_BYTES then return nil end
    local version
    version, startMs, previous, current = struct.unpack(COUNTER_LAYOUT, text)
    if version ~= FORMAT then return nil end
    -- Inline: if (isAhead(state, limit, nowMs)) return
    -- Inline: state = normalize(state, limit, nowMs)
  else
    -- Inline: state = fresh(limit, nowMs)
  end
  -- Include: numeric-decision
  if isSpent then text = struct.pack(COUNTER_LAYOUT, FORMAT, startMs, previous, current) end
  return isAdmitted, free, resetAfterMs, retryAfterMs, 0, text
end
