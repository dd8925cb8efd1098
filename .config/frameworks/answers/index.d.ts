export function own(request: Request): Promise<Response>;
export function ticks(): Response;
