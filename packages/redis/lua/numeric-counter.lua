-- Decides: sliding-window-counter
-- Two counters of clock-aligned windows, as sliding-window-counter.lua decides them. a is the window.

local function numericCounter(text, quota, windowMs, _, _, cost, margin, spends, nowMs)
  local floor, min = math.floor, math.min
  local startMs, previous, current = nowMs - nowMs % windowMs, 0, 0
  if text then
    if #text ~= COUNTER_BYTES then return nil end
    local version, ownStartMs, ownPrevious, ownCurrent = struct.unpack(COUNTER_LAYOUT, text)
    if version ~= FORMAT or ownStartMs > startMs then return nil end
    if ownStartMs == startMs then
      previous, current = ownPrevious, ownCurrent
    elseif ownStartMs + windowMs == startMs then
      previous = ownCurrent
    elseif ownStartMs + windowMs > startMs then
      return nil
    end
  end
  local restMs, most = windowMs - (nowMs - startMs), 2 * quota
  local overlapping = floor((min(previous, most) * restMs) / windowMs)
  local free = quota - current - overlapping
  local isAdmitted = cost <= quota and cost <= free + margin
  if isAdmitted and spends then
    if current + cost > most then return nil end
    current, free = current + cost, free - cost
    text = struct.pack(COUNTER_LAYOUT, FORMAT, startMs, previous, current)
  end

  -- Milliseconds until this many units fit: in this window, while the one before still counts, or in the next one.
  local needed, resetAfterMs, retryAfterMs = cost, 0, 0
  if margin < 0 then needed = cost - margin end
  previous = min(previous, most)
  if free < quota then
    if current == 0 then
      resetAfterMs = floor((windowMs * previous - windowMs) / previous) + 1 - (nowMs - startMs)
    else
      local counted = min(current, most)
      resetAfterMs = restMs + floor((windowMs * counted - windowMs) / counted) + 1
    end
  end
  if needed > quota then
    retryAfterMs = NEVER
  elseif needed > free then
    local room, counted = quota - current - needed, previous
    retryAfterMs = startMs - nowMs
    if room < 0 then room, counted, retryAfterMs = quota - needed, min(current, most), restMs end
    retryAfterMs = retryAfterMs + floor((windowMs * counted - (room + 1) * windowMs) / counted) + 1
  end
  return isAdmitted, free, resetAfterMs, retryAfterMs, 0, text, nil, resetAfterMs
end
