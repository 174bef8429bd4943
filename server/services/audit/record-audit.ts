import type { Trx } from '#db/client.ts';
import { type Actor, actorName, type RequestContext } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import type { RecordedAction } from './rules.ts';

/** What happened to which resource. `before` and `after` hold the changed fields, never secrets. */
export interface AuditEntry {
  /** `subject.verb`, e.g. `site.create`. */
  action: RecordedAction;
  resource_type: string;
  resource_id: string;
  /** Absent for what belongs to a person and to no organization. */
  organization_id: string | null;
  before?: Record<string, unknown> | null;
  after?: Record<string, unknown> | null;
}

/** Writes one audit row in the transaction of the change: both stand or neither does. */
export async function recordAudit(trx: Trx, context: RequestContext, entry: AuditEntry): Promise<void> {
  const { actor } = context;
  const now = context.app.clock.now();
  await trx
    .insertInto('audit_events')
    .values({
      id: newId(now),
      organization_id: entry.organization_id,
      at: now,
      actor_kind: actor.kind,
      actor_id: actorId(actor),
      actor_name: actorName(actor),
      action: entry.action,
      resource_type: entry.resource_type,
      resource_id: entry.resource_id,
      before: entry.before ? JSON.stringify(entry.before) : null,
      after: entry.after ? JSON.stringify(entry.after) : null,
      address: context.address === '' ? null : context.address,
      request_id: context.requestId,
    })
    .execute();
}

function actorId(actor: Actor): string | null {
  switch (actor.kind) {
    case 'person':
      return actor.userId;
    case 'credential':
      return actor.credentialId;
    case 'operator':
      return actor.tokenId;
    default:
      return null;
  }
}
