import * as openid from 'openid-client';
import { UpstreamError } from './upstream-error.ts';

/**
 * Forgejo and Gitea return `unauthorized_client` for a refresh token that has expired or was already used.
 */
const VOID_ERRORS: ReadonlySet<string> = new Set(['invalid_grant', 'unauthorized_client']);

/** Returns a failed request to an issuer as an outage, or as refused when the person's grant is the cause. */
export function toUpstreamError(question: 'refresh' | 'userinfo', error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  const { isVoid, reason } = describe(question, error);
  return new UpstreamError(isVoid ? 'refused' : 'outage', `${question}: ${reason}`);
}

function describe(question: 'refresh' | 'userinfo', error: unknown): { isVoid: boolean; reason: string } {
  if (error instanceof openid.ResponseBodyError) {
    const isVoid = question === 'refresh' && VOID_ERRORS.has(error.error);
    return { isVoid, reason: error.error };
  }
  const status = statusOf(error);
  if (status !== null) {
    // At the token endpoint such a response is about our own secret.
    const isVoid = question === 'userinfo' && (status === 401 || status === 403);
    return { isVoid, reason: `HTTP ${status}` };
  }
  return { isVoid: false, reason: error instanceof Error ? error.message : 'unknown' };
}

function statusOf(error: unknown): number | null {
  if (error instanceof openid.WWWAuthenticateChallengeError) return error.status;
  const cause = error instanceof openid.ClientError ? error.cause : null;
  return cause instanceof Response ? cause.status : null;
}
