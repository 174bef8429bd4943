import { placeOfObject, writeQuery } from '../object-address.ts';
import { canonicalRequest } from './canonical-request.ts';
import {
  ALGORITHM,
  scopeText,
  sha256Hex,
  signingKey,
  signText,
  stringToSign,
  UNSIGNED_PAYLOAD,
  writeAmzDate,
} from './signing-key.ts';

/** A request that is allowed by its address alone ("Authenticating requests: using query parameters"). */
export interface PresignedRequest {
  readonly method: string;
  /** The address of the service, without a trailing slash. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly accessKeyId: string;
  readonly secretKey: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** At most a week. */
  readonly expiresInSeconds: number;
}

/** Returns an address that its holder may use in this way until it expires. The bucket is in the path. */
export function presign(request: PresignedRequest): string {
  const { endpoint, method, region } = request;
  const { host, origin } = new URL(endpoint);
  const date = writeAmzDate(request.now);
  const scope = { day: date.slice(0, 8), region };
  const { rawPath, query: named } = placeOfObject(request.bucket, request.key);
  const query = Object.entries({
    ...named,
    ...request.query,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${request.accessKeyId}/${scopeText(scope)}`,
    'X-Amz-Date': date,
    'X-Amz-Expires': String(request.expiresInSeconds),
    'X-Amz-SignedHeaders': 'host',
  });
  const canonical = canonicalRequest(
    { method, rawPath, query, headerValues: new Map([['host', [host]]]) },
    ['host'],
    UNSIGNED_PAYLOAD,
  );
  const text = stringToSign(date, scope, sha256Hex(canonical));
  const signature = signText(signingKey(request.secretKey, scope), text);
  const written = writeQuery([...query, ['X-Amz-Signature', signature]]);
  return `${origin}${rawPath}?${written}`;
}
