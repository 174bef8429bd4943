import type { Executor } from '#db/client.ts';
import { DAY_MS } from '#server/durations.ts';
import { REPLACED_GRACE_MS } from '../rules.ts';

/** What a site keeps of its versions: a number of the newest ones, and all that were sealed within a number of days. */
export interface Retention {
  keep_versions: number;
  keep_days: number;
}

/**
 * Starts a read of the versions that a site need not keep. Reverted and never published ones count like all
 * others. Three kinds are always kept: the current version, uploads in progress, and versions that were replaced so
 * recently that open pages may still load their files.
 */
export function selectUnkeptVersions(
  executor: Executor,
  site: { id: string; current_version_id: string | null },
  { keep_versions, keep_days }: Retention,
  now: number,
) {
  const sealed = executor
    .selectFrom('site_versions')
    .where('site_id', '=', site.id)
    .where('sealed_at', 'is not', null)
    .where('removed_at', 'is', null);
  const oldestOfNewest = sealed
    .select('number')
    .orderBy('number', 'desc')
    .limit(1)
    .offset(keep_versions - 1);
  return sealed
    .where('number', '<', oldestOfNewest)
    .where('sealed_at', '<', now - keep_days * DAY_MS)
    .where('id', '!=', site.current_version_id ?? '')
    .where((eb) => eb.or([eb('replaced_at', 'is', null), eb('replaced_at', '<=', now - REPLACED_GRACE_MS)]));
}
