import type { ExpressionBuilder } from 'kysely';
import { z } from 'zod';
import type { Database } from '#db/schema/database.ts';
import { type App, type RequestContext, requireOperator } from '#server/context.ts';
import { HOUR_MS } from '#server/durations.ts';
import { instantSchema, toInstant } from '../shared/schema.ts';
import { obstacleIn } from './issuing/find-obstacle.ts';
import { challengeName } from './rules.ts';
import { dnsReportSchema } from './schema.ts';
import { authorityTitle } from './to-bundle.ts';

/** A certificate as the operator sees it. */
const certificateForOperatorSchema = z.object({
  domain_name: z.string(),
  /** Null for the platform's own names. */
  organization_id: z.string().nullable(),
  /** The record that must be in place before it can be issued. */
  challenge_name: z.string(),
  challenge_target: z.string(),
  authority: z.string(),
  dns_challenge_validated: z.boolean(),
  valid_until: instantSchema.nullable(),
  renew_at: instantSchema.nullable(),
  problem: z.string().nullable(),
  detail: z.string().nullable(),
  attempts: z.number().int(),
  next_attempt_at: instantSchema.nullable(),
});
export type CertificateForOperator = z.infer<typeof certificateForOperatorSchema>;
export const certificatesForOperatorSchema = z.object({
  platform: z.array(certificateForOperatorSchema),
  troubled: z.array(certificateForOperatorSchema),
});

const TROUBLED_MAX = 500;
/** A renewal takes a moment; it is only late after this time. */
const OVERDUE_MS = HOUR_MS;

/**
 * Returns the certificates that an operator should look at, the first to expire first: those of the platform's own
 * names, with the reason if the first one cannot be ordered, and those of organizations whose last attempt failed or
 * whose renewal is overdue.
 * @throws operator_required
 */
export async function listCertificatesForOperator(
  context: RequestContext,
): Promise<{ platform: CertificateForOperator[]; troubled: CertificateForOperator[] }> {
  requireOperator(context, 'read');
  const { app } = context;
  const now = app.clock.now();
  const platform = await selectCertificates(app)
    .where('organization_id', 'is', null)
    .orderBy('domain_name')
    .execute();
  const isTroubled = ({ or, eb }: ExpressionBuilder<Database, 'certificate_bundles'>) =>
    or([eb('failure_code', 'is not', null), eb('renew_at', '<', now - OVERDUE_MS)]);
  const troubled = await selectCertificates(app)
    .where('organization_id', 'is not', null)
    .where(isTroubled)
    // Those without a certificate come last: nothing that works is at risk.
    .orderBy((eb) => eb.fn.coalesce('valid_until', eb.lit(Number.MAX_SAFE_INTEGER)))
    .orderBy('domain_name')
    .limit(TROUBLED_MAX)
    .execute();
  return {
    platform: platform.map((row) => ({ ...toCertificateForOperator(app, row), ...findProblem(row) })),
    troubled: troubled.map((row) => toCertificateForOperator(app, row)),
  };
}

function selectCertificates({ db }: App) {
  return db
    .selectFrom('certificate_bundles')
    .select([
      'domain_name',
      'organization_id',
      'dns_challenge_id',
      'dns_challenge_validated_at',
      'dns_report',
      'authority',
      'valid_until',
      'renew_at',
      'failure_code',
      'failure_detail',
      'attempts',
      'next_issue_at',
    ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectCertificates>['execute']>>[number];

/** The failure of the last attempt; where there was none and no certificate yet, what the last look at the DNS found. */
function findProblem(row: Row): Pick<CertificateForOperator, 'problem' | 'detail'> {
  const isWaiting = row.failure_code === null && row.valid_until === null;
  const report = dnsReportSchema.safeParse(isWaiting ? JSON.parse(row.dns_report ?? 'null') : null);
  const obstacle = report.success ? obstacleIn(report.data) : null;
  return {
    problem: obstacle?.problem ?? row.failure_code,
    detail: obstacle?.detail ?? row.failure_detail,
  };
}

function toCertificateForOperator(app: App, row: Row): CertificateForOperator {
  return {
    domain_name: row.domain_name,
    organization_id: row.organization_id,
    challenge_name: challengeName(row.domain_name),
    challenge_target: `${row.dns_challenge_id}.${app.config.acmeZone}`,
    authority: authorityTitle(app, row.authority),
    dns_challenge_validated: row.dns_challenge_validated_at !== null,
    valid_until: toInstant(row.valid_until),
    renew_at: toInstant(row.renew_at),
    problem: row.failure_code,
    detail: row.failure_detail,
    attempts: row.attempts,
    next_attempt_at: toInstant(row.next_issue_at),
  };
}
