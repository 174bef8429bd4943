import { type KeyObject, timingSafeEqual } from 'node:crypto';
import type { S3Access, S3Ports } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { headerOf, queryValue, type S3Request } from '../s3-request.ts';
import { canonicalRequest } from './canonical-request.ts';
import { type PresentedSignature, readAuthorization } from './read-authorization.ts';
import { type CredentialScope, sha256Hex, signingKeyOf, signText, stringToSign } from './signing-key.ts';

/** A request with a valid signature. */
export interface Authenticated {
  readonly access: S3Access;
  readonly presented: PresentedSignature;
  /** The day's key, for what follows the head: chunks and trailers. */
  readonly key: KeyObject;
}

const NOT_SIGNED: ReadonlySet<string> = new Set(['X-Amz-Signature']);

/**
 * Returns who signed the request, or null when it is not signed.
 * @param region the only region
 * @throws InvalidAccessKeyId, SignatureDoesNotMatch, AccessDenied, InvalidToken, and what readAuthorization throws
 */
export async function authenticate(
  request: S3Request,
  ports: Pick<S3Ports, 'findAccess'>,
  { region, now }: { region: string; now: number },
): Promise<Authenticated | null> {
  const presented = readAuthorization(request, now);
  if (presented === null) return null;
  requireEverythingSigned(request, presented);
  const access = await ports.findAccess(presented.accessKeyId);
  if (access === null) throw noSuchAccess(presented.accessKeyId);
  const { scope, date, signedHeaders, payloadHash } = presented;
  const canonical = canonicalRequest(request, signedHeaders, payloadHash, NOT_SIGNED);
  const key = signingKeyOf(access, scope);
  const text = stringToSign(date, scope, sha256Hex(canonical));
  const expected = signText(key, text);
  if (!isSame(expected, presented.signature)) {
    throw wrongSignature(presented.accessKeyId, text, presented.signature, canonical);
  }
  // Only now: a client that cannot sign learns nothing about us.
  if (!isRegionOf(scope, region)) {
    const [code, what] =
      presented.kind === 'header'
        ? (['AuthorizationHeaderMalformed', 'The authorization header is malformed'] as const)
        : (['AuthorizationQueryParametersError', 'Error parsing the X-Amz-Credential parameter'] as const);
    throw new S3Error(code, `${what}; the region '${scope.region}' is wrong; expecting '${region}'`, {
      Region: region,
    });
  }
  refuseToken(headerOf(request, SESSION_TOKEN) ?? queryValue(request, 'X-Amz-Security-Token'));
  return { access, presented, key };
}

/**
 * The refusal of a signature, with what it has to be of: it is how people find out what their client signs.
 * @param canonical the canonical request, where the signature is of one
 */
export function wrongSignature(
  accessKeyId: string,
  stringToSign: string,
  presented: string,
  canonical: Buffer | null = null,
): S3Error {
  return new S3Error('SignatureDoesNotMatch', undefined, {
    AWSAccessKeyId: accessKeyId,
    StringToSign: stringToSign,
    SignatureProvided: presented,
    StringToSignBytes: inHex(Buffer.from(stringToSign)),
    ...(canonical && {
      CanonicalRequest: canonical.toString('utf8'),
      CanonicalRequestBytes: inHex(canonical),
    }),
  });
}

function inHex(bytes: Buffer): string {
  return bytes.toString('hex').replace(/..(?=.)/g, '$& ');
}

/** Where the token of a session stands, in a head or a form. */
export const SESSION_TOKEN = 'x-amz-security-token';

/**
 * Refuses the token of a session: no key here is one of a session, and a client that sends a token believes that it
 * may do no more than that says.
 * @throws InvalidToken
 */
export function refuseToken(token: string | null): void {
  if (token) throw new S3Error('InvalidToken', undefined, { 'Token-0': token });
}

export function noSuchAccess(accessKeyId: string): S3Error {
  return new S3Error('InvalidAccessKeyId', undefined, { AWSAccessKeyId: accessKeyId });
}

/** Whether a signature is for this region: older clients sign for us-east-1 everywhere. */
export function isRegionOf(scope: CredentialScope, region: string): boolean {
  return scope.region === region || scope.region === 'us-east-1';
}

/** Compares two signatures in constant time for equal lengths. */
export function isSame(expected: string, presented: string): boolean {
  const [own, other] = [Buffer.from(expected), Buffer.from(presented)];
  return own.byteLength === other.byteLength && timingSafeEqual(own, other);
}

/** What changes a request must be covered by its signature: otherwise an intermediary could add it. */
function requireEverythingSigned(request: S3Request, { signedHeaders, kind }: PresentedSignature): void {
  const signed = new Set(signedHeaders);
  const isFree = (name: string) => signed.has(name) || (kind === 'query' && name === 'x-amz-content-sha256');
  const added = [...request.headerValues.keys()].filter((name) => name.startsWith('x-amz-') && !isFree(name));
  if (added.length === 0) return;
  throw new S3Error('AccessDenied', 'There were headers present in the request which were not signed', {
    HeadersNotSigned: added.join(', '),
  });
}
