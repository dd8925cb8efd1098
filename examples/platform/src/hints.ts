/** What to try, in lines that can be copied, and what to expect. */
export function hints(url: string): string {
  const as = (user: string): string => `-H 'Authorization: Bearer ${user}-key'`;
  const json = "-H 'Content-Type: application/json'";
  const call = (user: string, more = '', options = '-s'): string =>
    `curl ${options} ${url}/v1/chat/completions ${as(user)} ${json} -d '{"model":"small","max_tokens":100,${more}"messages":[{"role":"user","content":"Hello"}]}'`;
  return `Sluice platform on ${url} (the providers behind it only pretend, and the first one fails)

A call. The first provider answers 503, so the second one is asked. The caller notices nothing:
  ${call('ann', '', '-i')}
  curl -s ${url}/providers
The budgets of ann and of her organisation, exact to the micro-dollar. In a browser it is a page:
  curl -s ${url}/usage ${as('ann')}
Eight calls at once. bob has two at a time: the others wait in line, and all are answered:
  for i in 1 2 3 4 5 6 7 8; do ${call('bob', '', "-s -o /dev/null -w '%{http_code}\\n'")} & done; wait
Twenty tasks that nobody waits for. Two workers take them from the queue, and share what the gateway allows:
  for i in $(seq 20); do curl -s ${url}/v1/tasks ${as('ann')} ${json} -d '{"prompt":"Hello"}'; done
  curl -s ${url}/v1/tasks/1 ${as('ann')}
The first provider is well again. It is asked again as soon as the breaker has tried it:
  curl -s ${url}/providers/first ${json} -d '{"fails":false}'
bob has one cent a day. A call that needs more is refused before it is sent, and clients do not try it again:
  curl -i ${url}/v1/chat/completions ${as('bob')} ${json} -d '{"model":"small","max_tokens":9000,"messages":[{"role":"user","content":"Hello"}]}'
Both providers fail:
  for p in first second; do curl -s ${url}/providers/$p ${json} -d '{"fails":true}'; done
  ${call('ann', '', '-i')}

Ctrl+C stops it when what is under way has been answered.`;
}
