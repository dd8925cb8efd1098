export const loader = () => Response.json({ hello: 'world' });
