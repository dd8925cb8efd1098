/** The tasks of child processes, by name. */
const TASKS = {
  decisions: () => import('./decisions.js'),
  allocation: () => import('./allocation.js'),
  admission: () => import('./admission.js'),
  'live-keys': () => import('./live-keys.js'),
  expiry: () => import('./expiry.js'),
  attack: () => import('./attack.js'),
  calls: () => import('./calls.js'),
  'redis-load': () => import('./redis-load.js'),
  'shared-key': () => import('./shared-key.js'),
  fleet: () => import('./fleet.js'),
  'growing-memory': () => import('./growing-memory.js'),
  'growing-redis': () => import('./growing-redis.js'),
  'several-processes': () => import('./several-processes.js'),
  'http-server': () => import('./http-server.js'),
  shedder: () => import('./shedder.js'),
  'watched-requests': () => import('./watched-requests.js'),
  'called-functions': () => import('./called-functions.js'),
  'overload-server': () => import('./overload-server.js'),
  'overload-backend': () => import('./overload-backend.js'),
  'overload-client': () => import('./overload-client.js'),
};

export type TaskName = keyof typeof TASKS;

type Started<Name extends TaskName> = Awaited<ReturnType<(typeof TASKS)[Name]>>['start'];

/** What a child with this task answers to. */
export type Methods<Name extends TaskName> = Awaited<ReturnType<Started<Name>>>;

export async function startTask(name: TaskName, options: unknown): Promise<object> {
  const { start } = await TASKS[name]();
  return (start as (options: unknown) => Promise<object>)(options);
}
