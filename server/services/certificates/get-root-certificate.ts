import { isLocalAuthority } from '#server/authority/local-authority.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';

/**
 * Returns the root certificate (PEM) of the authority of this installation, for people to trust on their own machines.
 * @throws not_found where an ACME server issues
 */
export function getRootCertificate({ app }: RequestContext): string {
  if (!isLocalAuthority(app.authority)) throw new AppError('not_found');
  return app.authority.rootCertificate;
}
