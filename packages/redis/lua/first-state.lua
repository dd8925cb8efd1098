-- What Redis has under the key of a call that has only one.

local text = KEYS[1] and not KEYS[2] and redis.pcall('GET', KEYS[1])
