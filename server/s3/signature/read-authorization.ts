import { isHeaderName } from '../cors/header-names.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { headerOf, queryValue, type S3Request } from '../s3-request.ts';
import { readCredential } from './read-credential.ts';
import {
  ALGORITHM,
  type CredentialScope,
  isSha256Hex,
  readAmzDate,
  STREAMED_PAYLOADS,
  UNSIGNED_PAYLOAD,
  writeAmzDate,
} from './signing-key.ts';

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

const SIGNED_HEADERS_MAX = 100;
const HEADER_LENGTH_MAX = 8_192;

/**
 * Parses the signature of a request; null when it is not signed.
 * @throws AuthorizationHeaderMalformed, AuthorizationQueryParametersError, AccessDenied when it has expired
 * or is not valid yet, RequestTimeTooSkewed, InvalidRequest for signatures of version 2, InvalidArgument for what is none
 */
export function readAuthorization(request: S3Request, now: number): PresentedSignature | null {
  const header = headerOf(request, 'authorization');
  const isQuery = queryValue(request, 'X-Amz-Algorithm') !== null;
  if (header !== null && isQuery) {
    throw S3Error.ofArgument(
      'Authorization',
      header,
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
    );
  }
  if (header !== null) return readHeader(request, header, now);
  if (isQuery) return readQuery(request, now);
  if (queryValue(request, 'AWSAccessKeyId') !== null) throw new S3Error('InvalidRequest', ONLY_V4);
  return null;
}

const ONLY_V4 =
  'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.';

const COMPONENTS = ['Credential', 'SignedHeaders', 'Signature'] as const;

const malformedHeader = (reason: string) =>
  new S3Error('AuthorizationHeaderMalformed', `The authorization header is malformed; ${reason}`);

function readHeader(request: S3Request, header: string, now: number): PresentedSignature {
  requireVersion4(header);
  if (header.length > HEADER_LENGTH_MAX) throw new S3Error('AuthorizationHeaderMalformed');
  const components = readComponents(header.slice(ALGORITHM.length));
  const { accessKeyId, scope } = readCredential(components.Credential, malformedHeader);
  const date = headerOf(request, 'x-amz-date') ?? dateOfField(headerOf(request, 'date'));
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
  if (!date.startsWith(scope.day)) throw malformedHeader(otherDate(scope, date));
  const payloadHash = headerOf(request, 'x-amz-content-sha256');
  if (payloadHash === null) {
    throw new S3Error('InvalidRequest', 'Missing required header for this request: x-amz-content-sha256');
  }
  requirePayloadHash(payloadHash);
  const signedHeaders = readSignedHeaders(components.SignedHeaders);
  if (signedHeaders === null) throw malformedHeader('SignedHeaders must be sorted and name the host header.');
  const signature = components.Signature;
  return { kind: 'header', accessKeyId, scope, date, signedHeaders, signature, payloadHash };
}

/** @throws InvalidRequest for signatures of version 2, InvalidArgument for what is no signature */
function requireVersion4(header: string): void {
  if (header.startsWith(`${ALGORITHM} `)) return;
  const [kind = '', ...rest] = header.split(' ');
  if (rest.length === 0) {
    const message = "Authorization header is invalid -- one and only one ' ' (space) required";
    throw S3Error.ofArgument('Authorization', header, message);
  }
  if (kind === 'AWS') throw new S3Error('InvalidRequest', ONLY_V4);
  throw S3Error.ofArgument('Authorization', kind, 'Unsupported Authorization Type');
}

/** @throws AuthorizationHeaderMalformed */
function readComponents(text: string): Record<(typeof COMPONENTS)[number], string> {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length !== COMPONENTS.length) {
    throw malformedHeader(
      'the authorization header requires three components: Credential, SignedHeaders, and Signature.',
    );
  }
  const fields = new Map(
    parts.map((part) => {
      const at = part.indexOf('=');
      if (at < 1) throw malformedHeader(`the authorization component "${part}" is malformed.`);
      return [part.slice(0, at).trim(), part.slice(at + 1).trim()] as const;
    }),
  );
  const [Credential, SignedHeaders, Signature] = COMPONENTS.map((name) => {
    const value = fields.get(name) ?? '';
    if (value === '') throw malformedHeader(`missing ${name}.`);
    return value;
  }) as [string, string, string];
  return { Credential, SignedHeaders, Signature };
}

function otherDate({ day }: CredentialScope, date: string): string {
  return `Invalid credential date "${day}". This date is not the same as X-Amz-Date: "${date.slice(0, 8)}".`;
}

/** @throws InvalidArgument for what is neither the hash of a payload nor a kind of payload */
function requirePayloadHash(text: string): void {
  if (text === UNSIGNED_PAYLOAD || STREAMED_PAYLOADS.includes(text) || isSha256Hex(text)) return;
  throw invalidPayloadHash(text);
}

/** The refusal of what is no value of x-amz-content-sha256. */
export function invalidPayloadHash(text: string): S3Error {
  return S3Error.ofArgument(
    'x-amz-content-sha256',
    text,
    `x-amz-content-sha256 must be ${[UNSIGNED_PAYLOAD, ...STREAMED_PAYLOADS].join(', ')} or a valid sha256 value.`,
  );
}

const QUERY_NAMES = ['Algorithm', 'Credential', 'Signature', 'Date', 'SignedHeaders', 'Expires'] as const;

function readQuery(request: S3Request, now: number): PresentedSignature {
  const malformed = (message: string) => new S3Error('AuthorizationQueryParametersError', message);
  const [algorithm, credential, signature, date, headerNames, expires] = QUERY_NAMES.map((name) => {
    const value = queryValue(request, `X-Amz-${name}`);
    if (value !== null && value !== '') return value;
    throw malformed(
      'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
    );
  }) as [string, string, string, string, string, string];
  if (algorithm !== ALGORITHM) throw malformed('X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"');
  const { accessKeyId, scope } = readCredential(credential, (reason) =>
    malformed(`Error parsing the X-Amz-Credential parameter; ${reason}`),
  );
  const at = readAmzDate(date);
  if (at === null) throw malformed(`X-Amz-Date must be in the ISO8601 Long Format "yyyyMMdd'T'HHmmss'Z'"`);
  if (!date.startsWith(scope.day)) throw malformed(otherDate(scope, date));
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
  const signedHeaders = readSignedHeaders(headerNames);
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
  const areNames = names.every((name) => isHeaderName(name) && name === name.toLowerCase());
  return names.length <= SIGNED_HEADERS_MAX && isSorted && areNames && names.includes('host') ? names : null;
}

/** ISO 8601 without milliseconds, S3's format in errors. */
function timeText(at: number): string {
  return new Date(at).toISOString().replace(/\.\d{3}/, '');
}

/** The time in a Date field, which S3 takes in the form of HTTP and of x-amz-date. */
function dateOfField(text: string | null): string | null {
  if (text !== null && readAmzDate(text) !== null) return text;
  const at = Date.parse(text ?? '');
  if (Number.isNaN(at)) return null;
  return writeAmzDate(at);
}
