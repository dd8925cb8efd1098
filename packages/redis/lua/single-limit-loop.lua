-- Decides requests about one limit without a margin as the loop in numeric-path.lua does, in fewer steps. It ends at the first request of which the
-- verdict takes a delay or a debt, or which is not numeric: the loop decides that one, and the others of the round. Without it, a decision in a full call takes
-- a tenth more instructions, and up to 1.05 times as long in the command (`npm run bench -- redis`).

local quota, a, b, c, send, isShort = numbers[1], numbers[2], numbers[3], numbers[4], redis.pcall, true
if decides then decide = decides[numbers[6]] end
while isNumeric and isShort and answered < times do
  local key, text = keys[keyCount + 1], texts[keyCount + 1]
  if opened and opened[key] then text = redis.call('GET', key) end
  local isAdmitted, free, resetAfterMs, retryAfterMs, delayMs, new, from, forMs =
    decide(text, quota, a, b, c, costs[1 + answered * step], 0, true, nowMs)
  isShort = free and free >= 0 and delayMs == 0
  if isShort then
    local failure
    if isAdmitted then
      if opened then opened[key] = true end
      forMs = forMs or resetAfterMs
      -- Include: write-state
      if type(answer) == 'table' then failure = answer.err end
    end
    if failure then
      length, hasFailed = length + 1, true
      reply[length] = failure
    else
      reply[length + 1] = (isAdmitted and IS_ALLOWED or 0) + (retryAfterMs ~= 0 and HAS_RETRY or 0)
      reply[length + 2] = free
      length = length + 3
      reply[length] = resetAfterMs
      if retryAfterMs ~= 0 then
        length = length + 1
        reply[length] = retryAfterMs
      end
    end
    answered, keyCount = answered + 1, keyCount + 1
  end
end
