import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { requireOrganizationRight } from '../organizations/require-organization-right.ts';
import { readTimeCursor, toPage, toTimeCursor } from '../shared/pages.ts';
import { toInstant } from '../shared/schema.ts';
import { findFormerNames, findNames, type Names } from './find-names.ts';
import { type AuditRow, findEvents } from './queries.ts';
import { type AuditEvent, listAuditEventsInput } from './schema.ts';
import { showFields } from './show-fields.ts';

/**
 * Returns a page of what was done in the organization within the last year, newest first, with current names
 * or those at the time. Every member may read it; network and email addresses only administrators.
 * @throws permission_required, person_required for a credential, invalid_input for an unknown cursor
 */
export async function listAuditEvents(
  context: OrganizationContext,
  input: z.input<typeof listAuditEventsInput>,
): Promise<{ items: AuditEvent[]; next_cursor: string | null }> {
  requireOrganizationRight(context, 'audit.read');
  const { cursor, limit, ...filter } = listAuditEventsInput.parse(input);
  const { app, organization } = context;
  const after = cursor === undefined ? null : readTimeCursor(cursor);
  const slice = app.slices.begin(organization.id);
  const rows = await findEvents(app.db, organization.id, {
    filter,
    now: app.clock.now(),
    after,
    limit: limit + 1,
    slice,
  });
  const { page, next_cursor } = toPage(rows, limit, toTimeCursor);
  const names = await findNames(app.db, organization.id, page);
  const formerNames = await findFormerNames(app.db, organization.id, page, names);
  return { items: await slice.run(toEvents(context, page, names, formerNames)), next_cursor };
}

/** Yields after each event, which may have 50 KB of changed fields, and returns them all. */
function* toEvents(
  context: OrganizationContext,
  rows: readonly AuditRow[],
  names: Names,
  formerNames: Names,
): Generator<void, AuditEvent[], undefined> {
  const events: AuditEvent[] = [];
  for (const row of rows) {
    events.push(toEvent(context, row, names, formerNames));
    yield;
  }
  return events;
}

function toEvent(context: OrganizationContext, row: AuditRow, names: Names, formerNames: Names): AuditEvent {
  const fields = showFields(context, row);
  const key = `${row.resource_type} ${row.resource_id}`;
  const name = names.get(key);
  return {
    id: row.id,
    at: toInstant(row.at),
    actor: {
      kind: row.actor_kind,
      id: row.actor_id,
      name: names.get(`member ${row.actor_id}`) ?? row.actor_name,
    },
    action: row.action,
    resource: {
      type: row.resource_type,
      id: row.resource_id,
      name: name ?? nameThen(fields.before) ?? nameThen(fields.after) ?? formerNames.get(key) ?? null,
      exists: name !== undefined,
    },
    ...fields,
    request_id: row.request_id,
  };
}

/** The former name of a resource that no longer exists, if the event contains it. */
function nameThen(fields: Record<string, unknown> | null): string | null {
  for (const key of ['hostname', 'domain_name', 'login', 'name']) {
    const value = fields?.[key];
    if (typeof value === 'string') return value;
  }
  return null;
}
