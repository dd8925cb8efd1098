-- Sends the new text of a key: from its first changed byte on, or with its time to live. After a write that failed nothing else is sent,
-- because a full server accepts every write after one that it has made.

local answer
if from then
  answer = send('SETRANGE', key, from, new)
  if leastTtlMs > 0 and type(answer) ~= 'table' then send('PEXPIRE', key, math.max(forMs, leastTtlMs)) end
else
  -- A number is passed as text in a third of the time.
  answer = send('SET', key, new, 'PX', string.format('%d', math.max(forMs, leastTtlMs)))
end
