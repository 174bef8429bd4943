import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { toInstant } from '../shared/schema.ts';
import { issueCertificate } from './issuing/issue-certificate.ts';
import { toIssueError } from './issuing/issue-error.ts';
import type { IssuePause } from './issuing/issue-pause.ts';
import { findIssuableBundle } from './issuing/select-issuable.ts';

/**
 * Reissues the certificate of a domain name, of the platform or of any organization, even while the current
 * one is fresh: for a key that may have leaked, or to check whether issuing works.
 * @throws operator_required, bundle_not_found, conflict while another process is working on it, and what
 * issueBundle throws
 */
export async function issueCertificateForOperator(
  context: RequestContext,
  { domain_name }: { domain_name: string },
  pause?: IssuePause,
): Promise<{ domain_name: string; valid_until: string | null }> {
  requireOperator(context, 'manage');
  const { app } = context;
  const found = await app.db
    .selectFrom('certificate_bundles')
    .select('id')
    .where('domain_name', '=', domain_name.toLowerCase())
    .executeTakeFirst();
  if (!found) throw new AppError('bundle_not_found');
  const outcome = await issueCertificate(context, found.id, { isForced: true, ...(pause && { pause }) });
  const bundle = await findIssuableBundle(app.db, found.id);
  if (!bundle || outcome.kind === 'removed') throw new AppError('bundle_not_found');
  if (outcome.kind === 'busy') throw new AppError('conflict');
  if (outcome.kind === 'failed') throw await toIssueError(app, bundle, outcome.failure);
  return { domain_name: bundle.domain_name, valid_until: toInstant(bundle.valid_until) };
}
