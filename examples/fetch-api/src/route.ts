/** Answers the requests of one method and path, which have come from this address. */
export type Route = (request: Request, address: string | undefined) => Response | Promise<Response>;
