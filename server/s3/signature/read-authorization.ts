import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { headerOf, queryValue, type S3Request } from '../s3-request.ts';
import { ALGORITHM, type CredentialScope, readAmzDate, readScope } from './signing-key.ts';

/** The signature of a request and its parameters. */
export interface PresentedSignature {
  readonly kind: 'header' | 'query';
  readonly accessKeyId: string;
  readonly scope: CredentialScope;
  /** `YYYYMMDDTHHMMSSZ`, as signed. */
  readonly date: string;
  readonly signedHeaders: readonly string[];
  /** Hex. */
  readonly signature: string;
  /** The payload as signed: a hash, UNSIGNED-PAYLOAD or a kind of chunks. */
  readonly payloadHash: string;
}

export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';
const SIGNED_HEADERS_MAX = 100;
const HEADER_LENGTH_MAX = 8_192;

/**
 * Parses the signature of a request; null when it is not signed.
 * @throws AuthorizationHeaderMalformed, AuthorizationQueryParametersError, AccessDenied when it has expired
 * or is not valid yet, RequestTimeTooSkewed, InvalidRequest for signatures of another version
 */
export function readAuthorization(request: S3Request, now: number): PresentedSignature | null {
  const header = headerOf(request, 'authorization');
  const isQuery = queryValue(request, 'X-Amz-Algorithm') !== null;
  if (header !== null && isQuery) {
    throw new S3Error('InvalidArgument', 'Only one auth mechanism allowed.');
  }
  if (header !== null) return readHeader(request, header, now);
  if (isQuery) return readQuery(request, now);
  if (queryValue(request, 'AWSAccessKeyId') !== null) throw new S3Error('InvalidRequest', ONLY_V4);
  return null;
}

const ONLY_V4 =
  'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.';

function readHeader(request: S3Request, header: string, now: number): PresentedSignature {
  if (!header.startsWith(`${ALGORITHM} `)) throw new S3Error('InvalidRequest', ONLY_V4);
  if (header.length > HEADER_LENGTH_MAX) throw new S3Error('AuthorizationHeaderMalformed');
  const fields = new Map(
    header
      .slice(ALGORITHM.length)
      .split(',')
      .map((field) => {
        const at = field.indexOf('=');
        return [field.slice(0, at).trim(), field.slice(at + 1).trim()] as const;
      }),
  );
  const [accessKeyId, ...scopeParts] = (fields.get('Credential') ?? '').split('/');
  const scope = readScope(scopeParts);
  const signature = fields.get('Signature') ?? '';
  if (!accessKeyId || scope === null || !isSignature(signature)) {
    throw new S3Error('AuthorizationHeaderMalformed');
  }
  const date = headerOf(request, 'x-amz-date') ?? dateOfHttp(headerOf(request, 'date'));
  const at = date === null ? null : readAmzDate(date);
  if (date === null || at === null) {
    throw new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header');
  }
  if (Math.abs(now - at) > S3_LIMITS.skewMs) {
    throw new S3Error('RequestTimeTooSkewed', undefined, {
      RequestTime: date,
      ServerTime: timeText(now),
      MaxAllowedSkewMilliseconds: String(S3_LIMITS.skewMs),
    });
  }
  if (!date.startsWith(scope.day)) {
    throw new S3Error(
      'AuthorizationHeaderMalformed',
      'The date of the credential is not the date of the request.',
    );
  }
  const payloadHash = headerOf(request, 'x-amz-content-sha256');
  if (payloadHash === null) {
    throw new S3Error('InvalidRequest', 'Missing required header for this request: x-amz-content-sha256');
  }
  const signedHeaders = readSignedHeaders(fields.get('SignedHeaders') ?? '');
  if (signedHeaders === null) throw new S3Error('AuthorizationHeaderMalformed');
  return { kind: 'header', accessKeyId, scope, date, signedHeaders, signature, payloadHash };
}

function readQuery(request: S3Request, now: number): PresentedSignature {
  const malformed = (message: string) => new S3Error('AuthorizationQueryParametersError', message);
  if (queryValue(request, 'X-Amz-Algorithm') !== ALGORITHM) {
    throw malformed('X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"');
  }
  const [accessKeyId, ...scopeParts] = (queryValue(request, 'X-Amz-Credential') ?? '').split('/');
  const scope = readScope(scopeParts);
  const signature = queryValue(request, 'X-Amz-Signature') ?? '';
  const date = queryValue(request, 'X-Amz-Date') ?? '';
  const at = readAmzDate(date);
  if (
    !accessKeyId ||
    scope === null ||
    !isSignature(signature) ||
    at === null ||
    !date.startsWith(scope.day)
  ) {
    throw malformed(
      'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
    );
  }
  const expires = queryValue(request, 'X-Amz-Expires') ?? '';
  if (/^-\d{1,9}$/.test(expires)) throw malformed('X-Amz-Expires must be non-negative');
  if (!/^\d{1,9}$/.test(expires)) throw malformed('X-Amz-Expires should be a number');
  if (Number(expires) > S3_LIMITS.presignedSecondsMax) {
    throw malformed(
      'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds',
    );
  }
  if (at - now > S3_LIMITS.skewMs) throw new S3Error('AccessDenied', 'Request is not yet valid');
  const end = at + Number(expires) * 1000;
  if (now > end) {
    throw new S3Error('AccessDenied', 'Request has expired', {
      'X-Amz-Expires': expires,
      Expires: timeText(end),
      ServerTime: timeText(now),
    });
  }
  const signedHeaders = readSignedHeaders(queryValue(request, 'X-Amz-SignedHeaders') ?? '');
  if (signedHeaders === null) throw malformed('X-Amz-SignedHeaders must name the host header');
  const payloadHash =
    queryValue(request, 'X-Amz-Content-Sha256') ??
    headerOf(request, 'x-amz-content-sha256') ??
    UNSIGNED_PAYLOAD;
  return { kind: 'query', accessKeyId, scope, date, signedHeaders, signature, payloadHash };
}

/** Lower case, sorted and including the host; null otherwise. */
function readSignedHeaders(text: string): string[] | null {
  const names = text.split(';');
  const isSorted = names.every((name, at) => at === 0 || (names[at - 1] ?? '') < name);
  const areNames = names.every((name) => /^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name));
  return names.length <= SIGNED_HEADERS_MAX && isSorted && areNames && names.includes('host') ? names : null;
}

function isSignature(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** ISO 8601 without milliseconds, S3's format in errors. */
function timeText(at: number): string {
  return new Date(at).toISOString().replace(/\.\d{3}/, '');
}

function dateOfHttp(text: string | null): string | null {
  const at = Date.parse(text ?? '');
  if (Number.isNaN(at)) return null;
  return new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '');
}
