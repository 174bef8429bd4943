import { ACTOR_KINDS, AUDIT_SUBJECTS } from '#server/services/audit/rules.ts';
import { idParam, readSearch } from '../../search-params.ts';
import { dayParam } from '../usage/period-search.ts';

const oneOf =
  <T extends string>(choices: readonly T[]) =>
  (value: unknown): T | undefined =>
    choices.find((choice) => choice === value);

/**
 * The search parameters of the audit log: who, what, on which resource, on which days (UTC, both included).
 */
export const auditSearch = readSearch({
  actor_kind: oneOf(ACTOR_KINDS),
  actor_id: idParam,
  subject: oneOf(AUDIT_SUBJECTS),
  resource_id: idParam,
  start_date: dayParam,
  end_date: dayParam,
});
export type AuditSearch = ReturnType<typeof auditSearch>;

/** Returns the filters of an address, without absent ones. */
export function filterOf(search: AuditSearch): AuditSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}
