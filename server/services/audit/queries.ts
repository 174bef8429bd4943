import type { Selectable } from 'kysely';
import type { z } from 'zod';
import type { Executor } from '#db/client.ts';
import type { AuditEventsTable } from '#db/schema/audit-events.ts';
import type { Slice } from '#server/concurrency/time-slices.ts';
import { DAY_MS } from '#server/durations.ts';
import type { TimePlace } from '../shared/pages.ts';
import { AUDIT_ACTIONS, AUDIT_KEPT_DAYS, PRIVATE_ACTIONS } from './rules.ts';
import type { auditFilterInput } from './schema.ts';

/**
 * One statement reads at most these days, and others have turns between two of them: a rare event of a busy organization
 * does not block them. A short log is read at once, without waiting for such reads in every turn.
 */
const DAYS_AT_ONCE = 7;

export type AuditRow = Selectable<AuditEventsTable>;
export type AuditFilter = z.output<typeof auditFilterInput>;

interface EventsPage {
  filter: AuditFilter;
  now: number;
  after: TimePlace | null;
  limit: number;
  /** Of the request, so that the reads of one organization take turns with those of others. */
  slice: Slice;
}

/**
 * Returns up to `limit` matching events of the organization, newest first: those after a position, or from
 * the newest without one.
 */
export async function findEvents(
  executor: Executor,
  organizationId: string,
  { filter, now, after, limit, slice }: EventsPage,
): Promise<AuditRow[]> {
  const start = Math.max(
    now - AUDIT_KEPT_DAYS * DAY_MS,
    filter.start_date ? Date.parse(filter.start_date) : 0,
  );
  const last = filter.end_date ? Date.parse(filter.end_date) + DAY_MS : now + DAY_MS;
  const rows: AuditRow[] = [];
  let end = Math.min(last, after ? after.at + 1 : last);
  while (end > start && rows.length < limit) {
    const from = Math.max(start, end - DAYS_AT_ONCE * DAY_MS);
    const found = await selectEvents(executor, organizationId, filter)
      .where('at', '>=', from)
      .where('at', '<', end)
      .$if(after !== null, (query) =>
        query.where((eb) =>
          eb.or([
            eb('at', '<', after?.at ?? 0),
            eb.and([eb('at', '=', after?.at ?? 0), eb('id', '<', after?.id ?? '')]),
          ]),
        ),
      )
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit - rows.length)
      .execute();
    rows.push(...found);
    end = from;
    await slice.breathe();
  }
  return rows;
}

function selectEvents(executor: Executor, organizationId: string, filter: AuditFilter) {
  let query = executor
    .selectFrom('audit_events')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('action', 'not in', PRIVATE_ACTIONS);
  if (filter.actor_kind) query = query.where('actor_kind', '=', filter.actor_kind);
  if (filter.actor_id) query = query.where('actor_id', '=', filter.actor_id);
  if (filter.subject) query = query.where('action', 'in', AUDIT_ACTIONS[filter.subject]);
  if (filter.resource_id) query = query.where('resource_id', '=', filter.resource_id);
  return query;
}
