import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findCaaIdentity } from '../inspection/find-caa-identity.ts';
import { challengeName } from '../rules.ts';
import type { IssueFailure } from './issue-failure.ts';
import type { IssuableBundle } from './select-issuable.ts';

/** Returns the failure of an issuance as an error for the person who requested it. */
export async function toIssueError(
  app: App,
  bundle: IssuableBundle,
  failure: IssueFailure,
): Promise<AppError> {
  const { problem, detail, retryAt } = failure;
  const name = challengeName(bundle.domain_name);
  const cause = { cause: failure };
  switch (problem) {
    case 'challenge_missing': {
      const target = `${bundle.dns_challenge_id}.${app.config.acmeZone}`;
      return new AppError('challenge_record_missing', { name, target }, [], cause);
    }
    case 'caa_forbids':
      return new AppError(
        'caa_forbids',
        { name: caaName(bundle, failure), authority: await findCaaIdentity(app) },
        [],
        cause,
      );
    case 'dns_unavailable':
      return new AppError('dns_unavailable', { name: detail ?? name, reason: 'no answer' }, [], cause);
    case 'authority_limit': {
      const ms = (retryAt ?? bundle.next_issue_at ?? 0) - app.clock.now();
      return new AppError('certificate_limit', { seconds: Math.max(60, Math.ceil(ms / 1000)) }, [], cause);
    }
    case 'authority_unavailable':
      return new AppError('certificate_unavailable', {}, [], cause);
    case 'challenge_invisible':
      return new AppError(
        'certificate_failed',
        { reason: `${name} does not show the value yet.` },
        [],
        cause,
      );
    default:
      return new AppError('certificate_failed', { reason: detail ?? 'it was refused.' }, [], cause);
  }
}

/** The name whose records forbid it; when the authority found them itself, `detail` has its message. */
function caaName({ domain_name }: IssuableBundle, { detail }: IssueFailure): string {
  const isName = detail !== null && `.${domain_name}`.endsWith(`.${detail}`);
  return isName ? detail : domain_name;
}
