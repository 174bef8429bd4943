import { isLocalAuthority } from '#server/certificate-authority/local-authority.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';

/**
 * Returns the root certificate (PEM) of this installation's own authority, for people to trust on their own
 * machines.
 * @throws not_found when an ACME server issues certificates
 */
export function getRootCertificate({ app }: RequestContext): string {
  if (!isLocalAuthority(app.authority)) throw new AppError('not_found');
  return app.authority.rootCertificate;
}
