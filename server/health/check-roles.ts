import type { App } from '../context.ts';
import type { Part } from '../supervisor/messages.ts';
import { SUBJECTS } from '../supervisor/sibling-subjects.ts';

/** Returns whether a role can do at this moment what it is for. */
type RoleCheck = () => boolean | Promise<boolean>;
type RoleStates = Partial<Record<Part, boolean>>;

/** A process that has not said by then how its roles are is shown by its own state. */
const ANSWER_WITHIN_MS = 1_500;

const ownChecks = new WeakMap<App, Map<Part, RoleCheck>>();

/** Has a role of this process checked for `/readyz` of any process of the machine. */
export function watchRole(app: App, role: Part, check: RoleCheck): void {
  const known = ownChecks.get(app);
  if (known) {
    known.set(role, check);
    return;
  }
  ownChecks.set(app, new Map([[role, check]]));
  app.siblings.on(SUBJECTS.roles, () => checkOwnRoles(app));
}

/**
 * Returns for each role of this machine whether every process that has it can do what it is for. Roles of processes
 * that do not answer are left out, unless another process has them.
 */
export async function checkRoles(app: App): Promise<RoleStates> {
  const [own, others] = await Promise.all([
    checkOwnRoles(app),
    app.siblings.ask('all', SUBJECTS.roles, null, ANSWER_WITHIN_MS),
  ]);
  // Of a process of this program; an older one answers with an error.
  const told = others.map(({ answer }) => ('body' in answer ? (answer.body as RoleStates) : {}));
  const states: RoleStates = {};
  for (const each of [own, ...told]) {
    for (const [role, isServing] of Object.entries(each) as [Part, boolean][]) {
      states[role] = isServing && states[role] !== false;
    }
  }
  // The processes answer in any order; a list that a person reads keeps its own.
  return Object.fromEntries(Object.entries(states).sort(([one], [other]) => (one < other ? -1 : 1)));
}

async function checkOwnRoles(app: App): Promise<RoleStates> {
  const checks = [...(ownChecks.get(app) ?? [])];
  const states = await Promise.all(checks.map(async ([role, check]) => [role, await check()] as const));
  return Object.fromEntries(states);
}
