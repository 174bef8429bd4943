import { sql } from 'kysely';
import { type Executor, isPostgres, type Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { isTotalled, LIMIT_NAMES, type LimitName, TOTALLED, type TotalName } from './rules.ts';
import type { LimitUse } from './schema.ts';

/** An organization's own limits as stored: the installation's apply to absent names. */
export function readOwnLimits(stored: string): Partial<Record<LimitName, number>> {
  const values: Record<string, number> = JSON.parse(stored);
  return Object.fromEntries(LIMIT_NAMES.filter((name) => name in values).map((name) => [name, values[name]]));
}

/** Returns the limits that currently apply to an organization. */
export async function findLimits(
  executor: Executor,
  app: App,
  organizationId: string,
): Promise<Record<LimitName, number>> {
  const row = await executor
    .selectFrom('organizations')
    .select('limits')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  return { ...app.config.organizationLimits, ...readOwnLimits(row?.limits ?? '{}') };
}

/**
 * Makes other transactions that read the same organization's limits wait until this one ends, so that two
 * concurrent ones see each other. Writers that need only the row's existence are not blocked.
 */
export async function lockLimits(trx: Trx, organizationId: string): Promise<void> {
  // On SQLite there is one writer at a time.
  if (!isPostgres(trx)) return;
  await trx
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organizationId)
    .forNoKeyUpdate()
    .execute();
}

/**
 * Returns how much of everything an organization has. One statement counts it all: most screens show it, and a
 * database server takes longer to answer a dozen statements than to run them.
 */
export async function listLimitUses(
  executor: Executor,
  app: App,
  organizationId: string,
): Promise<LimitUse[]> {
  const limits = await findLimits(executor, app, organizationId);
  const used = await executor
    .selectFrom(selectBucketUse(executor, organizationId).as('held'))
    .select(['held.bytes as bucket_bytes'])
    .select(({ eb }) => eb('held.objects', '+', eb.ref('held.unfinished')).as('bucket_objects'))
    .select(TOTALLED.map((name) => selectTotal(executor, organizationId, name).as(name)))
    .select(COUNTED.map((name) => selectCount(executor, app, organizationId, name).as(name)))
    .executeTakeFirstOrThrow();
  return LIMIT_NAMES.map((name) => ({ name, limit: limits[name], used: Number(used[name] ?? 0) }));
}

/** Returns how much of something an organization has, without reading more rows than its limit allows. */
export async function countUse(
  executor: Executor,
  app: App,
  organizationId: string,
  name: LimitName,
): Promise<number> {
  if (isTotalled(name)) return findTotal(executor, organizationId, name);
  if (name === 'bucket_bytes') return (await findBucketUse(executor, organizationId)).bytes;
  if (name === 'bucket_objects') {
    const { objects, unfinished } = await findBucketUse(executor, organizationId);
    return objects + unfinished;
  }
  const { used } = await selectCount(executor, app, organizationId, name).executeTakeFirstOrThrow();
  return used;
}

/** Returns a sum maintained by triggers. */
export async function findTotal(
  executor: Executor,
  organizationId: string,
  name: TotalName,
): Promise<number> {
  const row = await selectTotal(executor, organizationId, name).executeTakeFirst();
  return row?.total ?? 0;
}

function selectTotal(executor: Executor, organizationId: string, name: TotalName) {
  return executor
    .selectFrom('organization_totals')
    .select('total')
    .where('organization_id', '=', organizationId)
    .where('name', '=', name);
}

/** What the buckets of an organization hold. */
export interface BucketUse {
  /** Of objects, and of parts of current uploads. */
  readonly bytes: number;
  readonly objects: number;
  /** Parts of current uploads, and uploads without parts. */
  readonly unfinished: number;
}

export async function findBucketUse(executor: Executor, organizationId: string): Promise<BucketUse> {
  const { bytes, objects, unfinished } = await selectBucketUse(
    executor,
    organizationId,
  ).executeTakeFirstOrThrow();
  return { bytes: Number(bytes), objects: Number(objects), unfinished: Number(unfinished) };
}

/** Returns the number of an organization's objects and their bytes, without parts of current uploads. */
export async function findStored(
  executor: Executor,
  organizationId: string,
): Promise<Pick<BucketUse, 'bytes' | 'objects'>> {
  const { bytes, objects } = await selectStored(executor, organizationId).executeTakeFirstOrThrow();
  return { bytes: Number(bytes), objects: Number(objects) };
}

/** The sums of buckets, and the changes that have yet to be added to them. */
function selectStored(executor: Executor, organizationId: string) {
  const sums = executor
    .selectFrom('buckets')
    .select(({ fn }) => [
      fn.coalesce(fn.sum<number>('stored_bytes'), sql<number>`0`).as('bytes'),
      fn.coalesce(fn.sum<number>('object_count'), sql<number>`0`).as('objects'),
    ])
    .where('organization_id', '=', organizationId);
  const pending = executor
    .selectFrom('bucket_changes')
    .innerJoin('buckets', 'buckets.id', 'bucket_changes.bucket_id')
    .select(({ fn }) => [
      fn.coalesce(fn.sum<number>('bucket_changes.bytes'), sql<number>`0`).as('bytes'),
      fn.coalesce(fn.sum<number>('bucket_changes.objects'), sql<number>`0`).as('objects'),
    ])
    .where('buckets.organization_id', '=', organizationId);
  return executor
    .selectFrom([sums.as('sums'), pending.as('pending')])
    .select([
      sql<number>`sums.bytes + pending.bytes`.as('bytes'),
      sql<number>`sums.objects + pending.objects`.as('objects'),
    ]);
}

function selectBucketUse(executor: Executor, organizationId: string) {
  const stored = selectStored(executor, organizationId);
  const parts = executor
    .selectFrom('buckets')
    .innerJoin('object_uploads', 'object_uploads.bucket_id', 'buckets.id')
    .leftJoin('object_pieces', 'object_pieces.content_id', 'object_uploads.id')
    .select(({ fn }) => [
      fn.coalesce(fn.sum<number>('object_pieces.size'), sql<number>`0`).as('bytes'),
      fn.countAll<number>().as('count'),
    ])
    .where('buckets.organization_id', '=', organizationId);
  return executor
    .selectFrom([stored.as('stored'), parts.as('parts')])
    .select([
      sql<number>`stored.bytes + parts.bytes`.as('bytes'),
      'stored.objects as objects',
      'parts.count as unfinished',
    ]);
}

/** Deleted sites count while they can be restored: they keep their content and their name. */
const TABLES = {
  sites: 'sites',
  endpoints: 'cdn_endpoints',
  buckets: 'buckets',
  credentials: 'credentials',
  members: 'memberships',
  invitations: 'organization_invitations',
} as const;
const COUNTED = Object.keys(TABLES) as readonly (keyof typeof TABLES)[];

function selectCount(executor: Executor, app: App, organizationId: string, name: keyof typeof TABLES) {
  if (name === 'invitations') {
    return executor
      .selectFrom('organization_invitations')
      .select(({ fn }) => fn.countAll<number>().as('used'))
      .where('organization_id', '=', organizationId)
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', app.clock.now());
  }
  if (name === 'credentials') {
    return executor
      .selectFrom('credentials')
      .select(({ fn }) => fn.countAll<number>().as('used'))
      .where('organization_id', '=', organizationId)
      .where('publisher_id', 'is', null);
  }
  return executor
    .selectFrom(TABLES[name])
    .select(({ fn }) => fn.countAll<number>().as('used'))
    .where('organization_id', '=', organizationId);
}
