import { type RequestContext, requireOperator } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { isPersonalRow } from './queries.ts';
import type { InstallationStats } from './schema.ts';

/**
 * Returns the installation in numbers, counted by the database in one statement.
 * @throws operator_required
 */
export async function getInstallationStats(context: RequestContext): Promise<InstallationStats> {
  requireOperator(context, 'read');
  const { db, clock } = context.app;
  const now = clock.now();
  const counts = await db
    .selectNoFrom(({ selectFrom }) => {
      const organizations = selectFrom('organizations').select(({ fn }) => fn.countAll<number>().as('count'));
      const mails = selectFrom('outgoing_mails').select(({ fn }) => fn.countAll<number>().as('count'));
      return [
        selectFrom('users')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .as('people'),
        organizations.where(isPersonalRow).as('personal_organizations'),
        organizations.where((eb) => eb.not(isPersonalRow(eb))).as('named_organizations'),
        organizations.where('suspended_at', 'is not', null).as('suspended_organizations'),
        organizations.where('detached_at', 'is not', null).as('detached_organizations'),
        selectFrom('sites')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('deleted_at', 'is', null)
          .as('sites'),
        selectFrom('site_versions')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('sealed_at', 'is not', null)
          .as('versions'),
        selectFrom('blobs')
          .select(({ fn }) => fn.sum<number>('size').as('bytes'))
          .where('condemned_at', 'is', null)
          .as('stored_bytes'),
        selectFrom('site_versions')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('sealed_at', '>', now - DAY_MS)
          .as('deploys_last_day'),
        selectFrom('sessions')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('expires_at', '>', now)
          .where('absolute_expires_at', '>', now)
          .as('active_sessions'),
        selectFrom('credentials')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('is_active', '=', 1)
          .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
          .as('active_credentials'),
        mails.where('next_attempt_at', 'is not', null).as('waiting_mails'),
        mails.where('failed_at', 'is not', null).as('failed_mails'),
      ];
    })
    .executeTakeFirstOrThrow();
  return {
    people: counts.people ?? 0,
    personal_organizations: counts.personal_organizations ?? 0,
    named_organizations: counts.named_organizations ?? 0,
    suspended_organizations: counts.suspended_organizations ?? 0,
    detached_organizations: counts.detached_organizations ?? 0,
    sites: counts.sites ?? 0,
    versions: counts.versions ?? 0,
    stored_bytes: counts.stored_bytes ?? 0,
    deploys_last_day: counts.deploys_last_day ?? 0,
    active_sessions: counts.active_sessions ?? 0,
    active_credentials: counts.active_credentials ?? 0,
    waiting_mails: counts.waiting_mails ?? 0,
    failed_mails: counts.failed_mails ?? 0,
  };
}
