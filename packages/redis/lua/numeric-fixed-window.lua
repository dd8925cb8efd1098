-- Decides: fixed-window
-- How a count that starts anew is read and written. a is the window, b is 1 if it begins with the first request.
-- Calls: fixed-window margin
-- State: startMs endMs count
-- Limit: quota windowMs align

local function numericFixedWindow(text, quota, windowMs, fromFirst, _, cost, margin, spends, nowMs)
  local align, startMs, endMs, count, ownStartMs, ownEndMs, at = fromFirst == 1 and 'first-request' or 'clock', nil
  if text then
    if #text ~= FIXED_BYTES then return nil end
    local version, lengthMs
    version, startMs, lengthMs, count = struct.unpack(FIXED_LAYOUT, text)
    if version ~= FORMAT then return nil end
    -- Inline: if (count === 0) return
    -- Inline: if (isAhead(state, limit, nowMs)) return
    endMs = startMs + lengthMs
    ownStartMs, ownEndMs = startMs, endMs
    -- Inline: state = normalize(state, limit, nowMs)
  else
    -- Inline: state = fresh(limit, nowMs)
  end
  -- Include: numeric-decision
  if isSpent then
    if startMs == ownStartMs and endMs == ownEndMs then
      at, text = FIXED_TAIL_AT, struct.pack(FIXED_TAIL, count)
    else
      text = struct.pack(FIXED_LAYOUT, FORMAT, startMs, endMs - startMs, count)
    end
  end
  return isAdmitted, free, resetAfterMs, retryAfterMs, 0, text, at
end
