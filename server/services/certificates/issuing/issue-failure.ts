import { AuthorityError } from '#server/certificate-authority/authority.ts';
import type { CertificateProblem } from '../rules.ts';

/** Why a certificate was not issued, as stored in the bundle and shown. */
export class IssueFailure extends Error {
  override name = 'IssueFailure';
  readonly problem: CertificateProblem;
  /** In English, for the console's second line; null when the problem code says everything. */
  readonly detail: string | null;
  /** Not before this time, if the authority or a limit said so. */
  readonly retryAt: number | null;
  /** The order cannot be used any more; the next attempt opens another one. */
  readonly endsOrder: boolean;

  constructor(
    problem: CertificateProblem,
    detail: string | null,
    options: ErrorOptions & { retryAt?: number | null; endsOrder?: boolean } = {},
  ) {
    super(detail ?? problem, options);
    this.problem = problem;
    this.detail = detail;
    this.retryAt = options.retryAt ?? null;
    this.endsOrder = options.endsOrder ?? false;
  }
}

const PROBLEM_OF_KIND: Record<AuthorityError['kind'], CertificateProblem> = {
  unavailable: 'authority_unavailable',
  limited: 'authority_limit',
  refused: 'refused',
  caa: 'caa_forbids',
  gone: 'authority_unavailable',
};
const DETAIL_MAX = 500;

/**
 * Returns the failure of the bundle for an error of the authority; any other error is a defect and is thrown
 * again.
 */
export function toIssueFailure(error: unknown): IssueFailure {
  if (error instanceof IssueFailure) return error;
  if (!(error instanceof AuthorityError)) throw error;
  return new IssueFailure(PROBLEM_OF_KIND[error.kind], error.message.slice(0, DETAIL_MAX), {
    cause: error,
    retryAt: error.retryAt,
    endsOrder: error.kind === 'refused' || error.kind === 'caa' || error.kind === 'gone',
  });
}
