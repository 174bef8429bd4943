import type { Trx } from '#db/client.ts';
import { type Actor, actorName, type RequestContext } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { PRIVATE_ACTIONS, type RecordedAction } from './rules.ts';

/** What happened to which resource. `before` and `after` contain the changed fields, never secrets. */
export interface AuditEntry {
  /** `subject.verb`, e.g. `site.create`. */
  action: RecordedAction;
  resource_type: string;
  resource_id: string;
  /** Absent for what belongs to a person and not to an organization. */
  organization_id: string | null;
  before?: Record<string, unknown> | null;
  after?: Record<string, unknown> | null;
}

/** An organization over its limit may still remove things: that is how it gets back within its limits. */
const REMOVALS = /\.(cancel|delete|leave|remove|revoke)$/;

/**
 * Writes one audit row in the transaction of the change: both are committed or neither is. Every change
 * passes through here, so this is where their number is limited.
 * @throws too_many_requests
 */
export async function recordAudit(
  trx: Trx,
  context: RequestContext,
  entry: AuditEntry,
  now: number,
): Promise<void> {
  const { actor } = context;
  await countChange(context, entry);
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

/** Changes by jobs and operators are not counted. @throws too_many_requests */
async function countChange({ app, actor }: RequestContext, entry: AuditEntry): Promise<void> {
  if (actor.kind !== 'person' && actor.kind !== 'credential') return;
  // Which organization a person switched to is private (rules.ts), even to its other members.
  const isPrivate = PRIVATE_ACTIONS.some((action) => action === entry.action);
  const key = (isPrivate ? null : entry.organization_id) ?? actorId(actor) ?? '';
  if (REMOVALS.test(entry.action)) await app.rateLimits.isWithin('changes_organization', key);
  else await app.rateLimits.consume('changes_organization', key);
}

function actorId(actor: Actor): string | null {
  switch (actor.kind) {
    case 'person':
      return actor.userId;
    case 'credential':
      return actor.credentialId;
    case 'operator':
      return actor.tokenId ?? actor.userId ?? null;
    default:
      return null;
  }
}
