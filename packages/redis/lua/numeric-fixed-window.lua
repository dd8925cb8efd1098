-- Decides: fixed-window
-- A count that starts anew, as fixed-window.lua decides it. a is the window, b is 1 if it begins with the first request.

local function numericFixedWindow(text, quota, windowMs, fromFirst, _, cost, margin, spends, nowMs)
  local isFromFirst = fromFirst == 1
  local startMs = isFromFirst and nowMs or nowMs - nowMs % windowMs
  local endMs, count, isKept = startMs + windowMs, 0, false
  if text then
    if #text ~= FIXED_BYTES then return nil end
    local version, ownStartMs, lengthMs, ownCount = struct.unpack(FIXED_LAYOUT, text)
    if version ~= FORMAT or ownStartMs > startMs or ownCount == 0 then return nil end
    local ownEndMs, isOver = endMs, ownStartMs < startMs
    if isFromFirst then
      ownEndMs = ownStartMs + windowMs
      isOver = nowMs >= ownEndMs
    end
    if not isOver then
      isKept = ownStartMs == ownEndMs - lengthMs
      startMs, endMs, count = ownStartMs, ownEndMs, ownCount
    end
  end
  local isAdmitted, at, forMs = cost <= quota and count + cost <= quota + margin, nil, nil
  if isAdmitted and spends then
    count = count + cost
    if isKept then
      at, text = FIXED_TAIL_AT, struct.pack(FIXED_TAIL, count)
    else
      text, forMs = struct.pack(FIXED_LAYOUT, FORMAT, startMs, endMs - startMs, count), endMs - nowMs
    end
  end
  local free, needed, retryAfterMs = quota - count, cost, 0
  if margin < 0 then needed = cost - margin end
  if needed > quota then retryAfterMs = NEVER elseif needed > free then retryAfterMs = endMs - nowMs end
  return isAdmitted, free, count == 0 and 0 or endMs - nowMs, retryAfterMs, 0, text, at, forMs
end
