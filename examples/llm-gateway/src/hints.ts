/** What to try, in lines that can be copied, and what to expect. */
export function hints(url: string): string {
  const call = (key: string, body: string, options = '-s'): string =>
    `curl ${options} ${url}/v1/chat/completions -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${body}'`;
  const hello = '"messages":[{"role":"user","content":"Hello"}]';
  return `Sluice LLM gateway on ${url} (the provider behind it only pretends)

A call on the plan "free". The fields say what is left this minute:
  ${call('free-key', `{"model":"small",${hello}}`, '-i')}
The same as a stream. The gateway learns what it used from its last event:
  ${call('free-key', `{"model":"small","stream":true,${hello}}`, '-sN')}

Free has 10 calls a minute. Then it gets 429, with the reason, the limit and what is used:
  for i in 1 2 3 4 5 6 7 8 9 10; do ${call('free-key', `{"model":"small",${hello}}`, "-s -o /dev/null -w '%{http_code}\\n'")}; done
  ${call('free-key', `{"model":"small",${hello}}`)}
Free has 10,000 tokens a minute. A call that asks for more never fits:
  ${call('free-key', `{"model":"small","max_tokens":20000,${hello}}`)}
A model without a price is refused, not free:
  ${call('basic-key', `{"model":"unknown",${hello}}`)}
Basic has 50,000 tokens a minute and $10 a day. The refusal of a call that fits into neither names both:
  ${call('basic-key', `{"model":"large","max_tokens":300000,${hello}}`)}
Anthropic's dialect, by the same limits:
  curl -s ${url}/v1/messages -H 'x-api-key: premium-key' -H 'Content-Type: application/json' -d '{"model":"small","max_tokens":100,${hello}}'
A key that nobody has:
  ${call('no-key', `{"model":"small",${hello}}`, '-i')}

The same by the openai package:
  GATEWAY=${url} node examples/llm-gateway/dist/ask.js premium-key "Hello"

Ctrl+C stops it when what is under way has been answered.`;
}
