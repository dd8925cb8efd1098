-- The server's time in whole milliseconds, read once.

local time = redis.call('TIME')
local micros = time[2] + 0
local nowMs, leastTtlMs = time[1] * 1000 + (micros - micros % 1000) / 1000, 0
