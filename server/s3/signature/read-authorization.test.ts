import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { readS3Request } from '../s3-request.ts';
import { readAuthorization } from './read-authorization.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const DATE = '20260301T120000Z';
const CREDENTIAL = 'key/20260301/qc-south-1/s3/aws4_request';

/** Returns what is said of a request with these headers and this query: nothing, or code and message. */
function refusal(headers: Record<string, string>, query = ''): string {
  const sent = { host: 's3.example.ca', ...headers };
  const message = new IncomingMessage(new Socket());
  const rawHeaders = Object.entries(sent).flat();
  Object.assign(message, { method: 'GET', url: `/b/k?${query}`, headers: sent, rawHeaders });
  const request = readS3Request(message, { domain: 's3.example.ca', scheme: 'https' }, 'id');
  try {
    readAuthorization(request, NOW);
    return 'none';
  } catch (error) {
    const { code, message: text } = error as { code: string; message: string };
    return `${code}: ${text}`;
  }
}

const HASH = { 'x-amz-date': DATE, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
const withHeader = (authorization: string, more = {}) => refusal({ ...HASH, ...more, authorization });
const withCredential = (credential: string) =>
  withHeader(`AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=abc`);
const withQuery = (more: Record<string, string | null>) => {
  const parameters = {
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': CREDENTIAL,
    'X-Amz-Date': DATE,
    'X-Amz-Expires': '60',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': 'abc',
    ...more,
  };
  const kept = Object.entries(parameters).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  return refusal({}, new URLSearchParams(kept).toString());
};

describe('an authorization header', () => {
  const malformed = 'AuthorizationHeaderMalformed: The authorization header is malformed; ';
  it.each([
    ['key', "InvalidArgument: Authorization header is invalid -- one and only one ' ' (space) required"],
    ['Bearer token', 'InvalidArgument: Unsupported Authorization Type'],
    [
      'AWS key:signature',
      'InvalidRequest: The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.',
    ],
    [
      `AWS4-HMAC-SHA256 Credential=${CREDENTIAL}, Signature=abc`,
      `${malformed}the authorization header requires three components: Credential, SignedHeaders, and Signature.`,
    ],
    [
      `AWS4-HMAC-SHA256 Credential=${CREDENTIAL}, SignedHeaders, Signature=abc`,
      `${malformed}the authorization component "SignedHeaders" is malformed.`,
    ],
    [
      `AWS4-HMAC-SHA256 Credential=${CREDENTIAL}, Headers=host, Signature=abc`,
      `${malformed}missing SignedHeaders.`,
    ],
  ])('%s is told what is wrong with it', (authorization, said) => {
    expect(withHeader(authorization)).toBe(said);
  });

  it.each([
    [CREDENTIAL, 'none'],
    [
      'key',
      `${malformed}the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".`,
    ],
    [
      'key/20260301/qc-south-1/sns/aws4_request',
      `${malformed}incorrect service "sns". This endpoint belongs to "s3".`,
    ],
    [
      'key/20260301/qc-south-1/s3/aws5_request',
      `${malformed}incorrect terminal "aws5_request". This endpoint uses "aws4_request".`,
    ],
    [
      'key/today/qc-south-1/s3/aws4_request',
      `${malformed}incorrect date format "today". This date in the credential must be in the format "yyyyMMdd".`,
    ],
    [
      'key/20260228/qc-south-1/s3/aws4_request',
      `${malformed}Invalid credential date "20260228". This date is not the same as X-Amz-Date: "20260301".`,
    ],
  ])('with the credential %s is told: %s', (credential, said) => {
    expect(withCredential(credential)).toBe(said);
  });

  it('with a hash of its payload that is none is refused before its signature is looked at', () => {
    const authorization = `AWS4-HMAC-SHA256 Credential=${CREDENTIAL}, SignedHeaders=host, Signature=abc`;
    for (const hash of ['none', 'STREAMING-NOTHING']) {
      expect(withHeader(authorization, { 'x-amz-content-sha256': hash })).toContain(
        'InvalidArgument: x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-',
      );
    }
  });
});

describe('a signed request', () => {
  it('says its time in the field Date in any form that S3 reads', () => {
    const authorization = `AWS4-HMAC-SHA256 Credential=${CREDENTIAL}, SignedHeaders=host, Signature=abc`;
    const said = (date: string) =>
      refusal({ authorization, date, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' });
    for (const date of [DATE, 'Sun, 01 Mar 2026 12:00:00 GMT', 'Sunday, 01-Mar-26 12:00:00 GMT']) {
      expect(said(date)).toBe('none');
    }
    expect(said('noon')).toContain('requires a valid Date or x-amz-date header');
  });

  it('is signed in one place alone', () => {
    expect(refusal({ authorization: 'AWS4-HMAC-SHA256 a' }, 'X-Amz-Algorithm=AWS4-HMAC-SHA256')).toContain(
      'InvalidArgument: Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter',
    );
  });
});

describe('a signed address', () => {
  it('has all its parameters', () => {
    expect(withQuery({})).toBe('none');
    const names = ['Credential', 'Date', 'Expires', 'SignedHeaders', 'Signature'];
    for (const name of names) {
      expect(withQuery({ [`X-Amz-${name}`]: null })).toContain(
        'authentication version 4 requires the X-Amz-',
      );
    }
  });

  it.each([
    [{ 'X-Amz-Date': 'now' }, `X-Amz-Date must be in the ISO8601 Long Format "yyyyMMdd'T'HHmmss'Z'"`],
    [{ 'X-Amz-Expires': '-1' }, 'X-Amz-Expires must be non-negative'],
    [{ 'X-Amz-Expires': 'soon' }, 'X-Amz-Expires should be a number'],
    [
      { 'X-Amz-Credential': 'key/20260301/qc-south-1/ec2/aws4_request' },
      'Error parsing the X-Amz-Credential parameter; incorrect service "ec2". This endpoint belongs to "s3".',
    ],
  ])('with %o is told what is wrong with it', (more, said) => {
    expect(withQuery(more)).toBe(`AuthorizationQueryParametersError: ${said}`);
  });
});
