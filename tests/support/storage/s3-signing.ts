import { createHash, createHmac } from 'node:crypto';
import type { S3Keys } from './s3-client.ts';

const REGION = 'qc-south-1';

/** Signs what no client would send: written only from the description of Signature Version 4. */
export interface SignOptions {
  method: string;
  /** With the query, encoded as sent. */
  path: string;
  host: string;
  keys: S3Keys;
  headers?: Record<string, string>;
  payload?: string;
  at?: Date;
  /** Headers that are sent but not signed. */
  unsigned?: readonly string[];
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const amzDate = (at: Date) => at.toISOString().replace(/[-:]|\.\d{3}/g, '');
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

function sign(keys: S3Keys, date: string, canonical: string): { scope: string; signature: string } {
  const day = date.slice(0, 8);
  const scope = `${day}/${REGION}/s3/aws4_request`;
  const key = [day, REGION, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${keys.secretAccessKey}`,
  );
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  return { scope, signature: hmac(key, text).toString('hex') };
}

/** Returns the headers of a signed request. */
export function signedHeaders(options: SignOptions): Record<string, string> {
  const { method, path, host, keys, payload = 'UNSIGNED-PAYLOAD', at = new Date(), unsigned = [] } = options;
  const date = amzDate(at);
  const headers: Record<string, string> = {
    ...options.headers,
    host,
    'x-amz-date': date,
    'x-amz-content-sha256': payload,
  };
  const names = Object.keys(headers)
    .filter((name) => !unsigned.includes(name))
    .sort();
  const [address = '', query = ''] = path.split('?');
  const canonical = [
    method,
    address,
    query
      .split('&')
      .filter((part) => part !== '')
      .map((part) => (part.includes('=') ? part : `${part}=`))
      .sort(byName)
      .join('&'),
    names.map((name) => `${name}:${headers[name]}\n`).join(''),
    names.join(';'),
    payload,
  ].join('\n');
  const { scope, signature } = sign(keys, date, canonical);
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

/** Parameters in the order that is signed: `select` before `select-type`, although `=` comes after `-`. */
function byName(a: string, b: string): number {
  const [one, other] = [a.replace('=', '\0'), b.replace('=', '\0')];
  return one < other ? -1 : Number(one > other);
}

/** Returns a presigned path, valid for so many seconds. */
export function presignedPath(
  options: Pick<SignOptions, 'method' | 'path' | 'host' | 'keys' | 'at'> & { seconds: number },
): string {
  const { method, path, host, keys, seconds, at = new Date() } = options;
  const date = amzDate(at);
  const query = {
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${keys.accessKeyId}/${date.slice(0, 8)}/${REGION}/s3/aws4_request`,
    'X-Amz-Date': date,
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': 'host',
  };
  const [address = '', more = ''] = path.split('?');
  const parts = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(value)}`);
  const all = [...parts, ...more.split('&').filter((part) => part !== '')].sort(byName).join('&');
  const canonical = [method, address, all, `host:${host}\n`, 'host', 'UNSIGNED-PAYLOAD'].join('\n');
  return `${address}?${all}&X-Amz-Signature=${sign(keys, date, canonical).signature}`;
}

/** Returns the fields of a form signed in the older way: HMAC-SHA1 of its policy. */
export function oldPostFields(
  keys: S3Keys,
  conditions: readonly unknown[],
  expiration = new Date(Date.now() + 60_000),
): Record<string, string> {
  const document = JSON.stringify({ expiration: expiration.toISOString(), conditions });
  const policy = Buffer.from(document).toString('base64');
  const signature = createHmac('sha1', keys.secretAccessKey).update(policy).digest('base64');
  return { AWSAccessKeyId: keys.accessKeyId, policy, signature };
}

/** Returns the fields of a form that a signed policy allows. */
export function postFields(
  keys: S3Keys,
  conditions: readonly unknown[],
  expiration = new Date(Date.now() + 60_000),
): Record<string, string> {
  const date = amzDate(new Date());
  const day = date.slice(0, 8);
  const credential = `${keys.accessKeyId}/${day}/${REGION}/s3/aws4_request`;
  const own = {
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': credential,
    'x-amz-date': date,
  };
  const policy = Buffer.from(
    JSON.stringify({
      expiration: expiration.toISOString(),
      conditions: [...conditions, ...Object.entries(own).map(([name, value]) => ({ [name]: value }))],
    }),
  ).toString('base64');
  const key = [day, REGION, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${keys.secretAccessKey}`,
  );
  return { ...own, policy, 'x-amz-signature': hmac(key, policy).toString('hex') };
}
