/** What to try, in lines that can be copied, and what to expect. */
export function hints(url: string): string {
  return `Sluice example shop on ${url}

A page of the shop, and an order, which is critical:
  curl -i ${url}/products/7
  curl -i -X POST ${url}/checkout
Never refused:
  curl -i ${url}/livez

Three times the load that it can handle, from another terminal:
  npm run load -w @sluice/example-overloaded-api -- ${url}
The same without load shedding: stop this, and start it by
  SHED=off npm run start:overload

Ctrl+C stops it when what is under way has been answered.`;
}
