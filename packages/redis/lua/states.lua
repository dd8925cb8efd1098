-- The current text of each key, false if there is none. All are read in one command, because a command costs more than a key.

local texts = { type(text) == 'string' and text }
if KEYS[2] then texts = redis.call('MGET', unpack(KEYS)) end
